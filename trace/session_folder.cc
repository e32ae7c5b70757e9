// SPDX-License-Identifier: Apache-2.0
#include "trace/session_folder.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "trace/file_io.h"
#include "trace/session_writer.h"

namespace gordian {
namespace {

constexpr uint64_t kMaxSessionFileBytes = 8u << 20;

}  // namespace

absl::Status CheckIsFolder(const std::string& directory) {
  std::error_code error;
  const auto status = std::filesystem::status(directory, error);
  if (!std::filesystem::exists(status)) {
    if (error == std::errc::permission_denied) {
      return absl::PermissionDeniedError(absl::StrCat(
          directory, " is not yours to read: use sudo, or ask its owner (of gordiand's sessions: ",
          "join the group gordian)"));
    }
    return absl::NotFoundError(absl::StrCat(directory, " does not exist: give a session's folder"));
  }
  if (!std::filesystem::is_directory(status)) {
    return absl::FailedPreconditionError(
        absl::StrCat(directory, " is not a folder: give a session's folder"));
  }
  return absl::OkStatus();
}

absl::StatusOr<SessionDescription> ReadSessionFile(const std::string& directory) {
  SessionDescription result;
  const std::string path = absl::StrCat(directory, "/", kSessionFileName);
  const auto file = OpenFile(path);
  if (!file.ok() || file->size_bytes > kMaxSessionFileBytes) return result;
  std::vector<uint8_t> bytes(file->size_bytes);
  const auto read = ReadAt(file->handle, 0, bytes, path);
  result.bytes = bytes.size();
  result.identity = file->identity;
  pb::Session session;
  if (!read.ok() || !session.ParseFromArray(bytes.data(), static_cast<int>(*read)) ||
      session.format_version() == 0) {
    return result;
  }
  if (session.format_version() > kSessionFormatVersion) {
    return absl::FailedPreconditionError(absl::StrCat(
        directory, " was written by a newer gordian (format ", session.format_version(),
        ", this one reads up to ", kSessionFormatVersion, "): read it with that version"));
  }
  result.session = std::move(session);
  return result;
}

absl::StatusOr<std::vector<SegmentName>> ListSegments(const std::string& directory) {
  std::vector<SegmentName> names;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    if (const auto name = ParseSegmentFileName(entry->path().filename().string())) {
      names.push_back(*name);
    }
  }
  if (error) return SystemError(error.value(), "cannot list", directory);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace gordian
