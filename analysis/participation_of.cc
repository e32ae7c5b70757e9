// SPDX-License-Identifier: Apache-2.0
#include "analysis/participation_of.h"

#include <utility>

#include "absl/status/status.h"
#include "analysis/recording_participation.h"
#include "participation/activity_graph.h"
#include "trace/activities/activity_files.h"
#include "trace/session_folder.h"

namespace gordian {

absl::StatusOr<std::vector<pb::Participation>> ParticipationOf(const std::string& directory,
                                                               const ParticipationRequest& request,
                                                               const AnalysisOptions& options,
                                                               const AnalysisProgress& progress) {
  if (absl::Status status = CheckIsFolder(directory); !status.ok()) return status;
  if (IsActivityGraph(directory)) return ParticipationOfGraph(directory, request);
  auto recording = ParticipationOfRecording(directory, request, options, false, progress);
  if (!recording.ok()) return recording.status();
  return std::move(recording->answers);
}

absl::StatusOr<pb::CriticalPath> CriticalPathOf(const std::string& directory,
                                                const ParticipationRequest& request) {
  if (absl::Status status = CheckIsFolder(directory); !status.ok()) return status;
  if (IsActivityGraph(directory)) return CriticalPathOfGraph(directory, request);
  return absl::UnimplementedError(
      absl::StrCat(directory, " is a recording: gordian slice --critical-path tells its path"));
}

}  // namespace gordian
