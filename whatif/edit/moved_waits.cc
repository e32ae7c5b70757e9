// SPDX-License-Identifier: Apache-2.0
#include "whatif/edit/moved_waits.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "whatif/edit/score_parts.h"

namespace gordian {
namespace {

class Mover {
 public:
  Mover(const Score& score, const MovedWaits& moved, std::span<const uint32_t> vertex_of_entity)
      : score_(score), moved_(moved), vertices_(vertex_of_entity), edited_(TakeApart(score)) {}

  Score Move() {
    for (EntityId thread = 0; thread < score_.threads(); ++thread) {
      if (score_.VertexOf(thread, vertices_) == moved_.from) MoveThread(thread);
    }
    return PutTogether(std::move(edited_));
  }

 private:
  bool IsMovedDisk(uint32_t disk) const {
    return disk != kNoDisk && vertices_[score_.disks[disk].entity] == moved_.to;
  }
  bool IsMovedWait(const Step& step) const {
    return (step.kind == StepKind::kAwaitDisk && IsMovedDisk(score_.requests[step.number].disk)) ||
           (step.kind == StepKind::kAwait && IsMovedDisk(score_.relayed_disk[step.number]));
  }
  // The steps for such a wait, before it.
  bool IsForIt(const Step& step) const {
    if (step.kind == StepKind::kRequest) return IsMovedDisk(score_.requests[step.number].disk);
    return step.kind == StepKind::kHandOver &&
           score_.kernel_thread[score_.PairOf(step.number).waiter] != 0;
  }

  void MoveThread(EntityId thread) {
    const std::vector<Step> steps = std::exchange(edited_.steps[thread], {});
    uint64_t run_ns = 0, waits = 0;
    for (const Step& step : steps) {
      if (step.kind == StepKind::kRun) run_ns += step.duration_ns;
      if (IsMovedWait(step)) ++waits;
    }
    if (waits == 0) {
      edited_.steps[thread] = steps;
      return;
    }
    const auto run_each_ns = static_cast<uint64_t>(
        std::llround(moved_.run_share * static_cast<double>(run_ns) / static_cast<double>(waits)));
    const EntityId carrier = edited_.AddThread(thread, CpuClass::kAtOnce);
    const uint32_t channel = edited_.rest.channels++;
    std::vector<Step> for_it;
    bool was_moved = false;
    for (const Step& step : steps) {
      std::vector<Step>& own = edited_.steps[thread];
      std::vector<Step>& carried = edited_.steps[carrier];
      const bool wakes_up = step.kind == StepKind::kOffCpu && step.after_wait && was_moved;
      if (IsForIt(step)) {
        for_it.push_back(step);
      } else if (IsMovedWait(step)) {
        const uint32_t token = edited_.AddHandOver(
            {.waker = thread, .waiter = carrier, .channel = channel, .carried = true});
        own.push_back({step.recorded_ns, 0, token, StepKind::kHandOver});
        carried.push_back({step.recorded_ns, 0, token, StepKind::kAwait});
        if (run_each_ns > 0) carried.push_back({step.recorded_ns, run_each_ns, 0, StepKind::kRun});
        for (const Step& before : for_it) Carry(before, carrier);
        for_it.clear();
        Carry(step, carrier);
      } else if (wakes_up) {
        carried.push_back(step);
      } else {
        own.push_back(step);
      }
      was_moved = IsMovedWait(step);
    }
    for (const Step& step : for_it) Carry(step, carrier);
  }

  void Carry(const Step& step, EntityId carrier) {
    edited_.steps[carrier].push_back(step);
    if (step.kind == StepKind::kHandOver) edited_.hand_overs[step.number].waker = carrier;
    if (step.kind == StepKind::kAwait) edited_.hand_overs[step.number].waiter = carrier;
  }

  const Score& score_;
  const MovedWaits& moved_;
  const std::span<const uint32_t> vertices_;
  EditableScore edited_;
};

}  // namespace

Score MoveWaits(const Score& score, const MovedWaits& moved,
                std::span<const uint32_t> vertex_of_entity) {
  return Mover(score, moved, vertex_of_entity).Move();
}

}  // namespace gordian
