// SPDX-License-Identifier: Apache-2.0
// What a question can have done by all ranks. Of rank 0 (rank_analysis.h: AskOnRanks).
#pragma once

#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "analysis/options.h"
#include "analysis/recording.h"
#include "mpi/crew.h"
#include "mpi/rank_sessions.h"
#include "mpi/work_folder.h"
#include "store/store.h"

namespace gordian {

struct RankWork {
  std::vector<SeenSession> sessions;

  // All of these are there as long as the question is.

  // Has units made whose answers come in messages: in the order of `units`. A unit that failed says
  // so in its answer.
  std::function<absl::StatusOr<std::vector<MadeUnit>>(const std::vector<DealtUnit>& units)> ask;
  // Has units made, and gives the result of each to `use`, in their order. A damaged one is made
  // again.
  std::function<absl::Status(const std::vector<DealtUnit>& units,
                             const std::function<absl::Status(StoredEntry entry)>& use)>
      make;
  // All nodes' timelines as one: settled by the ranks, joined here.
  std::function<absl::StatusOr<LoadedRecording>()> settle;
  // For AnalysisOptions::sweep_elsewhere, behind `settle`.
  SweepElsewhere sweep;
  // … where the settled timeline lies, for units about it. Only its first fields are set.
  std::function<pb::SweepUnit()> timeline_unit;
  // While such units are made: these are the waits of that timeline, so that this rank need not
  // open it again. Null: not any more.
  std::function<void(const Waits* waits)> use_waits;
  const WorkFolder* folder = nullptr;
};

}  // namespace gordian
