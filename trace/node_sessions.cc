// SPDX-License-Identifier: Apache-2.0
#include "trace/node_sessions.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "trace/segment_name.h"

namespace gordian {
namespace {

namespace fs = std::filesystem;

// A session that was killed at its very beginning has no session.pb, only event files.
bool HoldsSession(const fs::path& directory) {
  std::error_code error;
  if (fs::exists(directory / kSessionFileName, error)) return true;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    if (ParseSegmentFileName(at->path().filename().string())) return true;
  }
  return false;
}

}  // namespace

absl::StatusOr<std::vector<NodeSession>> FindNodeSessions(const std::string& directory) {
  if (HoldsSession(directory))
    return std::vector<NodeSession>{{.node = "", .directory = directory}};
  std::vector<NodeSession> found;
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    std::error_code not_there;
    if (!at->is_directory(not_there) || !HoldsSession(at->path())) continue;
    if (found.size() == kMostNodes) {
      return absl::ResourceExhaustedError(
          absl::StrCat(directory, " holds more than ", kMostNodes, " nodes' sessions"));
    }
    found.push_back({at->path().filename().string(), at->path().string()});
  }
  if (error == std::errc::permission_denied) {
    return absl::PermissionDeniedError(absl::StrCat(directory, " is not yours to read"));
  }
  if (error == std::errc::no_such_file_or_directory)
    return absl::NotFoundError(absl::StrCat(directory, " does not exist: give a session's folder"));
  if (error == std::errc::not_a_directory)
    return absl::FailedPreconditionError(
        absl::StrCat(directory, " is not a folder: give a session's folder"));
  if (error) return absl::NotFoundError(absl::StrCat(directory, ": ", error.message()));
  if (found.empty()) {
    return absl::NotFoundError(absl::StrCat(
        directory, " holds no session: give what `gordian record` or `gordian collect` wrote"));
  }
  std::sort(found.begin(), found.end(),
            [](const NodeSession& a, const NodeSession& b) { return a.node < b.node; });
  return found;
}

}  // namespace gordian
