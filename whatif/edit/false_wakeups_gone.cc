// SPDX-License-Identifier: Apache-2.0
// Wakes for nothing that do not happen any more.
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "analyzer/suggestions/thresholds.h"
#include "whatif/edit/edit.h"
#include "whatif/edit/score_parts.h"

namespace gordian {
namespace {

// A thread of `vertex` was woken for nothing if from its wake by another kind of thread to the
// next wait that another kind ends (or that never ends) it ran no longer than kMostRunNs, asked no
// disk for anything and woke only its like. That is the definition of suggestions.h without stacks:
// there stacks tell which waits are for locks, here the likeness of the threads does. The whole
// visit is gone, with its waits for locks among its like. Only marks stay, and no thread waits any
// more for a lock that was held meanwhile.
class Remover {
 public:
  Remover(const Score& score, uint32_t vertex, std::span<const uint32_t> vertex_of_entity)
      : score_(score),
        vertex_(vertex),
        vertices_(vertex_of_entity),
        gone_steps_(score.steps.size()),
        gone_(score.pair_of_hand_over.size()) {}

  WithoutFalseWakeups Remove() {
    WithoutFalseWakeups made;
    for (EntityId thread = 0; thread < score_.threads(); ++thread) {
      if (score_.VertexOf(thread, vertices_) == vertex_) FindIn(thread, made);
    }
    EditableScore edited = TakeApart(score_);
    for (EntityId thread = 0; thread < score_.threads(); ++thread) {
      std::vector<Step>& steps = edited.steps[thread];
      const std::vector<Step> old = std::exchange(steps, {});
      bool wait_gone = false;
      for (size_t i = 0; i < old.size(); ++i) {
        const bool wakes_up = old[i].kind == StepKind::kOffCpu && old[i].after_wait;
        const bool gone = gone_steps_[score_.first_step[thread] + i] != 0 || IsGone(old[i]) ||
                          (wakes_up && wait_gone);
        if (!gone) steps.push_back(old[i]);
        wait_gone = gone && old[i].kind == StepKind::kAwait;
      }
    }
    made.score = PutTogether(std::move(edited));
    return made;
  }

 private:
  // The other half of a hand-over that is gone.
  bool IsGone(const Step& step) const {
    return (step.kind == StepKind::kAwait || step.kind == StepKind::kHandOver) &&
           gone_[step.number] != 0;
  }
  bool IsOfItsLike(EntityId thread) const { return score_.VertexOf(thread, vertices_) == vertex_; }
  bool EndsVisit(const Step& step) const {
    return step.kind == StepKind::kPause || step.kind == StepKind::kAwaitDisk ||
           (step.kind == StepKind::kAwait && !IsOfItsLike(Pair(step).waker));
  }
  const HandOverPair& Pair(const Step& step) const { return score_.PairOf(step.number); }

  void FindIn(EntityId thread, WithoutFalseWakeups& made) {
    const size_t end = score_.first_step[thread + 1];
    size_t begin = end;  // of the visit, which is the wait that led to it
    uint64_t run_ns = 0;
    bool works = false;
    for (size_t i = score_.first_step[thread]; i < end; ++i) {
      const Step& step = score_.steps[i];
      if (step.kind == StepKind::kRun) run_ns += step.duration_ns;
      works |= step.kind == StepKind::kRequest ||
               (step.kind == StepKind::kHandOver && !IsOfItsLike(Pair(step).waiter));
      if (!EndsVisit(step)) continue;
      if (begin < end) {
        ++made.wakes;
        if (!works && run_ns <= kMostRunNs) {
          ++made.gone;
          TakeOut(begin, i);
        }
      }
      begin = step.kind == StepKind::kAwait && Pair(step).count > 0 ? i : end;
      run_ns = 0;
      works = false;
    }
  }

  void TakeOut(size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const Step& step = score_.steps[i];
      if (step.kind == StepKind::kMark) continue;
      gone_steps_[i] = 1;
      if (step.kind == StepKind::kAwait || step.kind == StepKind::kHandOver) gone_[step.number] = 1;
    }
  }

  const Score& score_;
  const uint32_t vertex_;
  const std::span<const uint32_t> vertices_;
  std::vector<uint8_t> gone_steps_;
  std::vector<uint8_t> gone_;  // by hand-over
};

}  // namespace

double WithoutFalseWakeups::ShareGone() const {
  return static_cast<double>(gone) / static_cast<double>(std::max<uint64_t>(1, wakes));
}

WithoutFalseWakeups TakeOutFalseWakeups(const Score& score, uint32_t vertex,
                                        std::span<const uint32_t> vertex_of_entity) {
  return Remover(score, vertex, vertex_of_entity).Remove();
}

}  // namespace gordian
