// SPDX-License-Identifier: Apache-2.0
#include "whatif/edit/split_lock.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "whatif/edit/score_parts.h"

namespace gordian {
namespace {

// Something a thread does with the lock, at a step of its own.
struct LockDeed {
  size_t step = 0;
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
  bool acquires = false;
  bool in_vain = false;  // it was woken, but others were faster
};

// A step that no record tells of.
struct Unseen {
  uint64_t time_ns = 0;
  size_t first_step = 0;  // it does not come before that one, even if that is of the same time
  StepKind kind = StepKind::kRelease;
};

class Splitter {
 public:
  Splitter(const Score& score, const LockSplit& split, std::span<const uint32_t> vertex_of_entity)
      : score_(score), split_(split), vertices_(vertex_of_entity), edited_(TakeApart(score)) {}

  Score Split() {
    const auto number = static_cast<uint32_t>(edited_.rest.locks.size());
    edited_.rest.locks.push_back({split_.ways, split_.grouped});
    const uint64_t hold_ns = MedianHold();
    for (EntityId thread = 0; thread < score_.threads(); ++thread) {
      std::vector<LockDeed> deeds = DeedsOf(thread);
      MarkVain(deeds, hold_ns);
      if (!deeds.empty()) Rewrite(thread, number, deeds, UnseenOf(deeds, hold_ns));
    }
    return PutTogether(std::move(edited_));
  }

 private:
  bool IsOfLock(uint32_t hand_over) const {
    const HandOverPair& pair = score_.PairOf(hand_over);
    return pair.count > 0 && split_.Holds(score_.VertexOf(pair.waiter, vertices_),
                                          score_.VertexOf(pair.waker, vertices_));
  }

  std::vector<LockDeed> DeedsOf(EntityId thread) const {
    std::vector<LockDeed> deeds;
    const std::span<const Step> steps = score_.StepsOf(thread);
    for (size_t i = 0; i < steps.size(); ++i) {
      const Step& step = steps[i];
      const bool acquires = step.kind == StepKind::kAwait;
      if ((acquires || step.kind == StepKind::kHandOver) && IsOfLock(step.number))
        deeds.push_back({i, step.recorded_ns, step.recorded_ns + step.duration_ns, acquires});
    }
    return deeds;
  }

  // A thread that waits again before it could have held the lock for as long as usual never had it.
  static void MarkVain(std::vector<LockDeed>& deeds, uint64_t hold_ns) {
    for (size_t i = 1; i < deeds.size(); ++i) {
      deeds[i - 1].in_vain = deeds[i - 1].acquires && deeds[i].acquires &&
                             deeds[i - 1].end_ns + hold_ns > deeds[i].begin_ns;
    }
  }

  uint64_t MedianHold() const {
    std::vector<uint64_t> holds_ns;
    for (EntityId thread = 0; thread < score_.threads(); ++thread) {
      const std::vector<LockDeed> deeds = DeedsOf(thread);
      for (size_t i = 1; i < deeds.size(); ++i) {
        if (deeds[i - 1].acquires && !deeds[i].acquires)
          holds_ns.push_back(deeds[i].begin_ns - deeds[i - 1].end_ns);
      }
    }
    if (holds_ns.empty()) return 0;
    const auto middle = holds_ns.begin() + static_cast<std::ptrdiff_t>(holds_ns.size() / 2);
    std::nth_element(holds_ns.begin(), middle, holds_ns.end());
    return *middle;
  }

  // In order of time.
  std::vector<Unseen> UnseenOf(std::span<const LockDeed> deeds, uint64_t hold_ns) const {
    std::vector<Unseen> unseen;
    uint64_t free_since_ns = 0;
    size_t next_step = 0;
    for (size_t i = 0; i < deeds.size(); ++i) {
      const LockDeed& deed = deeds[i];
      const bool holds = i > 0 && deeds[i - 1].acquires && !deeds[i - 1].in_vain;
      if (deed.acquires && holds) {
        unseen.push_back({deeds[i - 1].end_ns + hold_ns, next_step});
      } else if (!deed.acquires && !holds) {
        const uint64_t since_ns = deed.begin_ns - std::min(deed.begin_ns, hold_ns);
        unseen.push_back({std::max(free_since_ns, since_ns), next_step, StepKind::kAcquire});
      }
      free_since_ns = deed.end_ns;
      next_step = deed.step + 1;
    }
    if (deeds.back().acquires) unseen.push_back({deeds.back().end_ns + hold_ns, next_step});
    return unseen;
  }

  void Rewrite(EntityId thread, uint32_t number, std::span<const LockDeed> deeds,
               std::span<const Unseen> unseen) {
    std::vector<Step>& steps = edited_.steps[thread];
    const std::vector<Step> old = std::exchange(steps, {});
    for (size_t i = 0; i < old.size(); ++i) {
      Step step = old[i];
      const uint64_t end_ns = step.recorded_ns + step.duration_ns;
      const bool is_deed = !deeds.empty() && deeds.front().step == i;
      for (; !unseen.empty() && unseen.front().first_step <= i &&
             (unseen.front().time_ns <= step.recorded_ns ||
              (step.kind == StepKind::kRun && unseen.front().time_ns < end_ns));
           unseen = unseen.subspan(1)) {
        const uint64_t time_ns = std::max(unseen.front().time_ns, step.recorded_ns);
        if (time_ns > step.recorded_ns) {
          Step before = step;
          before.duration_ns = time_ns - step.recorded_ns;
          steps.push_back(before);
          step.recorded_ns = time_ns;
          step.duration_ns = end_ns - time_ns;
        }
        steps.push_back({time_ns, 0, number, unseen.front().kind});
      }
      if (is_deed) {
        const LockDeed& deed = deeds.front();
        step.kind = deed.in_vain    ? StepKind::kRun
                    : deed.acquires ? StepKind::kAcquire
                                    : StepKind::kRelease;
        step.number = number;
        step.duration_ns = 0;
        deeds = deeds.subspan(1);
      }
      steps.push_back(step);
    }
    for (const Unseen& left : unseen) steps.push_back({left.time_ns, 0, number, left.kind});
  }

  const Score& score_;
  const LockSplit& split_;
  const std::span<const uint32_t> vertices_;
  EditableScore edited_;
};

}  // namespace

Score SplitLock(const Score& score, const LockSplit& split,
                std::span<const uint32_t> vertex_of_entity) {
  return Splitter(score, split, vertex_of_entity).Split();
}

}  // namespace gordian
