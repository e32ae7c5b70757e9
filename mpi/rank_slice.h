// SPDX-License-Identifier: Apache-2.0
// Slices, critical paths and SQL about a recording that ranks settled. They read its events; one
// sweep over the joined timeline is rank 0's, as each moment of it depends on those before.
#pragma once

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "analysis/recorded_slice.h"
#include "mpi/rank_work.h"
#include "query/query.h"

namespace gordian {

// The same as SliceOfRecording, and CriticalPathOfRecording.
absl::StatusOr<RecordedSlice> SliceOnRanks(const RankWork& work, const SliceQuestion& question,
                                           const AnalysisOptions& options);
absl::StatusOr<pb::CriticalPath> CriticalPathOnRanks(const RankWork& work,
                                                     const SliceQuestion& question,
                                                     const AnalysisOptions& options);

// The analysis with the job's phases, which `options` ask for.
absl::StatusOr<Analysis> PhasesOnRanks(const RankWork& work, const AnalysisOptions& options);

// Whether a question may be about events: these stay where the recording lies, so rank 0 must see
// it.
bool MayAskForEvents(const std::string& sql);
// Analyzes, and gives `use` the database.
absl::Status QueryOnRanks(const RankWork& work, const AnalysisOptions& options,
                          const QueryLimits& limits,
                          const std::function<absl::Status(QueryDatabase& database)>& use);

}  // namespace gordian
