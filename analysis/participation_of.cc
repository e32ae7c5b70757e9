// SPDX-License-Identifier: Apache-2.0
#include "analysis/participation_of.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "participation/activity_graph.h"
#include "trace/activities/activity_files.h"
#include "trace/session_folder.h"

namespace gordian {
namespace {

absl::StatusOr<std::vector<pb::Participation>> ParticipationOfRecording(
    const std::string& directory, const ParticipationRequest& /*request*/) {
  return absl::UnimplementedError(
      absl::StrCat(directory, " is a recording; this version knows only imported activity graphs ",
                   "(gordian import --format activities)"));
}

}  // namespace

absl::StatusOr<std::vector<pb::Participation>> ParticipationOf(
    const std::string& directory, const ParticipationRequest& request) {
  if (absl::Status status = CheckIsFolder(directory); !status.ok()) return status;
  if (!IsActivityGraph(directory)) return ParticipationOfRecording(directory, request);
  return ParticipationOfGraph(directory, request);
}

absl::StatusOr<pb::CriticalPath> CriticalPathOf(const std::string& directory,
                                                const ParticipationRequest& request) {
  if (absl::Status status = CheckIsFolder(directory); !status.ok()) return status;
  if (IsActivityGraph(directory)) return CriticalPathOfGraph(directory, request);
  return absl::UnimplementedError(
      absl::StrCat(directory, " is a recording: gordian analyze tells the path of its job"));
}

}  // namespace gordian
