// SPDX-License-Identifier: Apache-2.0
// One sweep over the settled timeline, by all ranks. Of rank 0. Inner to the room.
#pragma once

#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "analyzer/sums/window_sums.h"
#include "mpi/rank_work.h"
#include "mpi/unit_maker.h"

namespace gordian {

class RankSweeping {
 public:
  // All must outlive it. `own` makes this rank's units; `timeline` is the settled one's. The
  // sums will lie in `memory`.
  RankSweeping(UnitMaker& own, const WorkFolder& folder, pb::SweepUnit timeline,
               const decltype(RankWork::make)& make, ColumnMemory memory)
      : own_(own),
        folder_(folder),
        timeline_(std::move(timeline)),
        make_(make),
        memory_(std::move(memory)),
        disk_waits_(memory_) {}

  absl::StatusOr<WindowSums> Sweep(const Waits& waits, WindowSumOptions sweep);

 private:
  // All of them, with windows joined but for `kept_borders_ns`.
  absl::StatusOr<SweptWindows> SweepParts(const Waits& waits, const WindowSumOptions& sweep,
                                          const std::vector<uint64_t>& borders,
                                          const std::vector<uint64_t>& kept_borders_ns);
  // In the windows that the sweep gave; a unit for each node, or for some that follow each other.
  absl::StatusOr<CountedDevices> DevicesIn(const SweptWindows& swept, uint32_t nodes);
  DealtUnit SweepUnitOf(const WindowSumOptions& sweep, size_t number,
                        const std::vector<uint64_t>& borders) const;

  UnitMaker& own_;
  const WorkFolder& folder_;
  const pb::SweepUnit timeline_;
  const decltype(RankWork::make)& make_;
  const ColumnMemory memory_;
  Column<WaitInterval> disk_waits_;  // of all stretches; there may be millions
};

}  // namespace gordian
