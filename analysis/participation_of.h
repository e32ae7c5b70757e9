// SPDX-License-Identifier: Apache-2.0
// Participation in whatever a folder holds: an imported activity graph, a recording, or those of
// many nodes.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analysis/options.h"
#include "participation/participation_request.h"
#include "schema/participation.pb.h"

namespace gordian {

// `options` are for recordings (recording_participation.h). An answer for each of `request.by`, in
// that order. InvalidArgument, in one line for the user, if the folder's kind has no such rows, or
// no time is in the range.
absl::StatusOr<std::vector<pb::Participation>> ParticipationOf(
    const std::string& directory, const ParticipationRequest& request,
    const AnalysisOptions& options = {}, const AnalysisProgress& progress = {});

// One longest chain of activities to the last end in the range. Only of activity graphs:
// Unimplemented, with a line for the user, for recordings.
absl::StatusOr<pb::CriticalPath> CriticalPathOf(const std::string& directory,
                                                const ParticipationRequest& request);

}  // namespace gordian
