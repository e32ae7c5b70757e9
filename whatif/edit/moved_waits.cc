// SPDX-License-Identifier: Apache-2.0
#include "whatif/edit/moved_waits.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "whatif/edit/disk_jobs.h"
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
  struct Helpers {
    EntityId first = kNobody;
    uint32_t count = 0;
    uint32_t first_channel = 0;
    uint32_t lock = 0;  // held by the one that syncs
  };

  bool IsMovedDisk(uint32_t disk) const { return IsOnDisk(score_, disk, moved_.to, vertices_); }
  bool IsMovedWait(const Step& step) const {
    return IsDiskWait(score_, step, moved_.to, vertices_);
  }
  uint64_t KernelRunNs(const Step& wait) const {
    return wait.kind == StepKind::kAwaitDisk ? score_.requests[wait.number].run_ns : 0;
  }
  // The steps for such a wait, before it.
  bool IsForIt(const Step& step) const {
    if (step.kind == StepKind::kRequest) return IsMovedDisk(score_.requests[step.number].disk);
    return step.kind == StepKind::kHandOver &&
           score_.kernel_thread[score_.PairOf(step.number).waiter] != 0;
  }

  Helpers AddHelpers(EntityId thread) {
    Helpers helpers = {.first = static_cast<EntityId>(edited_.steps.size()),
                       .count = std::max(1u, moved_.helpers),
                       .first_channel = edited_.rest.channels,
                       .lock = static_cast<uint32_t>(edited_.rest.locks.size())};
    edited_.rest.locks.push_back({.ways = 1, .grouped = true});
    edited_.rest.channels += helpers.count;
    for (uint32_t i = 0; i < helpers.count; ++i) edited_.AddThread(thread, CpuClass::kAtOnce);
    return helpers;
  }

  void MoveThread(EntityId thread) {
    const std::span<const Step> recorded = score_.StepsOf(thread);
    const std::vector<DiskJob> jobs = DiskJobsOf(score_, recorded, moved_.to, vertices_);
    if (jobs.empty()) return;
    const std::vector<Step> steps = std::exchange(edited_.steps[thread], {});
    uint64_t run_ns = 0, waits = 0;
    for (const Step& step : steps) {
      if (step.kind == StepKind::kRun) run_ns += step.duration_ns;
    }
    for (const DiskJob& job : jobs) waits += job.waits.size();
    const double run_each_ns =
        moved_.run_share * static_cast<double>(run_ns) / static_cast<double>(waits);
    const Helpers helpers = AddHelpers(thread);
    size_t next = 0;
    for (size_t number = 0; number < jobs.size(); ++number) {
      const DiskJob& job = jobs[number];
      const auto turn = static_cast<uint32_t>(number % helpers.count);
      // Until the job begins, but for what is asked for it.
      std::vector<Step> carried;
      for (; next < job.waits.front(); ++next) KeepOrCarry(steps[next], thread, carried);
      Ask(steps[next], thread, turn, helpers);
      const uint64_t began_ns = steps[next].recorded_ns;
      auto job_run_ns =
          static_cast<uint64_t>(std::llround(run_each_ns * static_cast<double>(job.waits.size())));
      for (const size_t wait : job.waits) job_run_ns += KernelRunNs(steps[wait]);
      if (job_run_ns > 0)
        carried.insert(carried.begin(), {began_ns, job_run_ns, 0, StepKind::kRun});
      bool woken = false;
      for (; next <= job.waits.back(); ++next) {
        const Step& step = steps[next];
        const bool wakes_up = woken && step.kind == StepKind::kOffCpu && step.after_wait;
        if (IsMovedWait(step) || wakes_up) {
          carried.push_back(step);
        } else {
          KeepOrCarry(step, thread, carried);
        }
        woken = IsMovedWait(step);
      }
      if (next < steps.size() && steps[next].kind == StepKind::kOffCpu && steps[next].after_wait)
        carried.push_back(steps[next++]);
      Carry(job, carried, helpers.first + turn, helpers.lock);
    }
    for (; next < steps.size(); ++next) edited_.steps[thread].push_back(steps[next]);
  }

  void KeepOrCarry(const Step& step, EntityId thread, std::vector<Step>& carried) {
    (IsForIt(step) ? carried : edited_.steps[thread]).push_back(step);
  }

  void Ask(const Step& wait, EntityId thread, uint32_t turn, const Helpers& helpers) {
    const EntityId helper = helpers.first + turn;
    const uint32_t token = edited_.AddHandOver({.waker = thread,
                                                .waiter = helper,
                                                .channel = helpers.first_channel + turn,
                                                .carried = true});
    edited_.steps[thread].push_back({wait.recorded_ns, 0, token, StepKind::kHandOver});
    edited_.steps[helper].push_back({wait.recorded_ns, 0, token, StepKind::kAwait});
  }

  void Carry(const DiskJob& job, std::span<const Step> carried, EntityId helper, uint32_t lock) {
    std::vector<Step>& steps = edited_.steps[helper];
    const uint64_t began_ns = steps.back().recorded_ns;
    if (job.stores) steps.push_back({began_ns, 0, lock, StepKind::kAcquire});
    for (const Step& step : carried) {
      steps.push_back(step);
      if (step.kind == StepKind::kHandOver) edited_.hand_overs[step.number].waker = helper;
      if (step.kind == StepKind::kAwait) edited_.hand_overs[step.number].waiter = helper;
    }
    if (job.stores) steps.push_back({carried.back().recorded_ns, 0, lock, StepKind::kRelease});
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
