// SPDX-License-Identifier: Apache-2.0
// Critical participation in a recording, asked of its folder.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analysis/analysis.h"
#include "analysis/options.h"
#include "analysis/recorded_phases.h"
#include "participation/participation_request.h"
#include "participation/recorded_participation.h"
#include "report/weighted_stacks.h"
#include "schema/participation.pb.h"

namespace gordian {

struct RecordingParticipation {
  std::vector<pb::Participation> answers;  // by request.by
  // If asked for: where running threads were on the average path, and how long (seconds of the
  // windows' length); without waits.
  std::vector<WeightedStack> stacks;
  Code code;
  double recorded_seconds = 0;
};

// Sweeps the windows elsewhere: the same as ParticipationOfWindows.
using ParticipateElsewhere = std::function<absl::StatusOr<std::vector<WindowParticipation>>(
    const RecordedGraph& graph, std::span<const ParticipationWindowTimes> windows)>;

// `options`: the target whose threads the paths end at, and how vertices are made, as for an
// analysis. InvalidArgument, in one line for the user, if no time is in the range.
absl::StatusOr<RecordingParticipation> ParticipationOfRecording(
    const std::string& directory, const ParticipationRequest& request,
    const AnalysisOptions& options, bool with_stacks = false,
    const AnalysisProgress& progress = {});

// … of a recording that is analyzed already.
absl::StatusOr<RecordingParticipation> ParticipationIn(const Analysis& analysis,
                                                       const RecordedPhases& phases,
                                                       const ParticipationRequest& request,
                                                       bool with_stacks = false,
                                                       const ParticipateElsewhere& elsewhere = {});

// InvalidArgument as above: what can be told before a recording is analyzed.
absl::Status CheckParticipation(const ParticipationRequest& request, const Timeline& timeline);

}  // namespace gordian
