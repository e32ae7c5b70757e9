// SPDX-License-Identifier: Apache-2.0
// gordian participation by many ranks: they settle the nodes and sweep the graph as for an analysis
// (rank_analysis.h); then each window, or run of windows, is a unit that any rank makes. One window
// is one unit: what paths do in its past depends on its end.
#pragma once

#include "absl/status/statusor.h"
#include "analysis/recording_participation.h"
#include "mpi/rank_work.h"

namespace gordian {

// The same as ParticipationOfRecording.
absl::StatusOr<RecordingParticipation> ParticipationOnRanks(const RankWork& work,
                                                            const ParticipationRequest& request,
                                                            const AnalysisOptions& options,
                                                            bool with_stacks = false);

// FailedPrecondition, in one line, if rank 0 does not see all that tells of phases.
absl::Status CheckWordsAreHere(const RankWork& work, const LoadedRecording& recording);
// ReadThreadPhases of a recording that ranks settled, checked so.
absl::StatusOr<RecordedPhases> PhasesOfWork(const RankWork& work, const LoadedRecording& recording);

}  // namespace gordian
