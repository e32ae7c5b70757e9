// SPDX-License-Identifier: Apache-2.0
#include "whatif/edit/asked_workers.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "whatif/edit/disk_jobs.h"
#include "whatif/edit/score_parts.h"

namespace gordian {
namespace {

constexpr size_t kNowhere = ~size_t{0};

class AskedWorkers {
 public:
  AskedWorkers(const Score& score, std::span<const WaitChange> waits,
               std::span<const uint32_t> vertex_of_entity)
      : score_(score),
        waits_(waits),
        vertices_(vertex_of_entity),
        asked_from_(score.pair_of_hand_over.size(), kNowhere),
        waited_at_(score.pair_of_hand_over.size(), kNowhere),
        is_needed_(score.requests.size()),
        is_gone_(score.steps.size()) {}

  std::optional<Score> TakeOut() {
    if (!AnyGone()) return std::nullopt;
    LookAtThreads();
    bool any = false;
    for (EntityId thread = 0; thread < score_.threads(); ++thread) {
      if (score_.kernel_thread[thread] != 0) any |= TakeOutOf(thread);
    }
    if (!any) return std::nullopt;
    EditableScore edited = TakeApart(score_);
    for (EntityId thread = 0; thread < score_.threads(); ++thread) {
      const size_t first = score_.first_step[thread];
      std::vector<Step> kept;
      for (size_t i = first; i < score_.first_step[thread + 1]; ++i)
        if (is_gone_[i] == 0) kept.push_back(score_.steps[i]);
      edited.steps[thread] = std::move(kept);
    }
    return PutTogether(std::move(edited));
  }

 private:
  static bool IsWait(const Step& step) {
    return step.kind == StepKind::kAwait || step.kind == StepKind::kAwaitDisk ||
           step.kind == StepKind::kPause || step.kind == StepKind::kAcquire;
  }

  bool AnyGone() const {
    return std::any_of(waits_.begin(), waits_.end(),
                       [](const WaitChange& wait) { return !wait.keeps_up; });
  }

  bool GoesWithAWait(EntityId thread, const Step& wait) const {
    if (wait.kind == StepKind::kAwaitDisk && score_.requests[wait.number].stays) return false;
    const uint32_t from = score_.VertexOf(thread, vertices_);
    return std::any_of(waits_.begin(), waits_.end(), [&](const WaitChange& change) {
      return !change.keeps_up && change.from == from &&
             IsDiskWait(score_, wait, change.to, vertices_);
    });
  }

  // Where each hand-over that begins an operation is made, where each is waited for, and which
  // requests are waited for by threads that still wait.
  void LookAtThreads() {
    std::vector<size_t> since_wait;
    for (EntityId thread = 0; thread < score_.threads(); ++thread) {
      since_wait.clear();
      for (size_t i = score_.first_step[thread]; i < score_.first_step[thread + 1]; ++i) {
        const Step& step = score_.steps[i];
        if (step.kind == StepKind::kHandOver) since_wait.push_back(i);
        if (!IsWait(step)) continue;
        const bool goes = GoesWithAWait(thread, step);
        if (step.kind == StepKind::kAwait) waited_at_[step.number] = i;
        if (step.kind == StepKind::kAwaitDisk && !goes) is_needed_[step.number] = 1;
        for (const size_t asked : since_wait)
          if (goes) asked_from_[score_.steps[asked].number] = asked;
        since_wait.clear();
      }
    }
  }

  bool TakeOutOf(EntityId thread) {
    bool any = false;
    const size_t end = score_.first_step[thread + 1];
    for (size_t i = score_.first_step[thread]; i < end; ++i) {
      const Step& wait = score_.steps[i];
      if (wait.kind != StepKind::kAwait || asked_from_[wait.number] == kNowhere) continue;
      size_t next = i + 1;
      while (next < end && !IsWait(score_.steps[next])) ++next;
      const bool is_part = std::all_of(score_.steps.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                       score_.steps.begin() + static_cast<std::ptrdiff_t>(next),
                                       [&](const Step& step) { return IsPart(step); });
      if (!is_part) continue;
      std::fill(is_gone_.begin() + static_cast<std::ptrdiff_t>(i),
                is_gone_.begin() + static_cast<std::ptrdiff_t>(next), 1);
      is_gone_[asked_from_[wait.number]] = 1;
      any = true;
    }
    return any;
  }

  bool IsPart(const Step& step) const {
    switch (step.kind) {
      case StepKind::kRun:
      case StepKind::kOffCpu:
        return true;
      case StepKind::kRequest:
        return is_needed_[step.number] == 0;
      case StepKind::kHandOver: {
        const size_t at = waited_at_[step.number];
        const EntityId waiter = score_.PairOf(step.number).waiter;
        return at != kNowhere && GoesWithAWait(waiter, score_.steps[at]);
      }
      default:
        return false;
    }
  }

  const Score& score_;
  const std::span<const WaitChange> waits_;
  const std::span<const uint32_t> vertices_;
  std::vector<size_t> asked_from_;  // by hand-over: its step, if its thread next waits so
  std::vector<size_t> waited_at_;   // by hand-over
  std::vector<uint8_t> is_needed_;  // by request
  std::vector<uint8_t> is_gone_;    // by step
};

}  // namespace

std::optional<Score> TakeOutAskedWorkers(const Score& score, std::span<const WaitChange> waits,
                                         std::span<const uint32_t> vertex_of_entity) {
  return AskedWorkers(score, waits, vertex_of_entity).TakeOut();
}

}  // namespace gordian
