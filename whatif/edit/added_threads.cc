// SPDX-License-Identifier: Apache-2.0
#include "whatif/edit/added_threads.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace gordian {
namespace {

class Pooler {
 public:
  Pooler(const Score& score, uint32_t vertex, std::span<const uint32_t> vertex_of_entity)
      : score_(score),
        vertex_(vertex),
        vertices_(vertex_of_entity),
        waits_since_ns_(score.pair_of_hand_over.size(), kNever) {
    std::map<uint32_t, uint64_t> waits_ns;  // by the waiting kind
    for (EntityId thread = 0; thread < score.threads(); ++thread) {
      for (const Step& step : score.StepsOf(thread)) {
        if (step.kind != StepKind::kAwait) continue;
        waits_since_ns_[step.number] = step.recorded_ns;
        if (IsOfKind(score.PairOf(step.number).waker) && MayAsk(thread))
          waits_ns[score.VertexOf(thread, vertex_of_entity)] += step.duration_ns;
      }
    }
    uint64_t most_ns = 0;
    for (const auto& [kind, wait_ns] : waits_ns)
      if (wait_ns > most_ns) {
        most_ns = wait_ns;
        asker_ = kind;
      }
  }

  Pool Make() {
    for (EntityId thread = 0; thread < score_.threads(); ++thread) {
      if (!IsOfKind(thread)) continue;
      pool_.threads.push_back(thread);
      Cut(thread);
    }
    std::stable_sort(pool_.pieces.begin(), pool_.pieces.end(),
                     [this](const Pool::Piece& a, const Pool::Piece& b) {
                       return score_.steps[a.begin].recorded_ns < score_.steps[b.begin].recorded_ns;
                     });
    return std::move(pool_);
  }

 private:
  static constexpr uint64_t kNever = 0xffffffffffffffff;

  bool IsOfKind(EntityId thread) const { return score_.VertexOf(thread, vertices_) == vertex_; }
  bool MayAsk(EntityId thread) const {
    return score_.kernel_thread[thread] == 0 && !IsOfKind(thread);
  }
  bool EndsPiece(const Step& step) const {
    if (step.kind != StepKind::kHandOver) return false;
    return score_.VertexOf(score_.PairOf(step.number).waiter, vertices_) == asker_;
  }

  void Cut(EntityId thread) {
    const size_t end = score_.first_step[thread + 1];
    size_t begin = score_.first_step[thread];
    for (size_t i = begin; i < end; ++i) {
      const Step& step = score_.steps[i];
      // Steps of the same moment belong to the piece: marks, further hand-overs.
      const bool goes_on = i + 1 < end && TakesNoTime(score_.steps[i + 1]);
      if (!EndsPiece(step) || goes_on) continue;
      const uint64_t begins_ns = score_.steps[begin].recorded_ns;
      const bool was_asked = waits_since_ns_[step.number] <= begins_ns;
      pool_.pieces.push_back({begin, i + 1, was_asked ? step.number : kNoHandOver});
      begin = i + 1;
    }
    if (begin < end) pool_.pieces.push_back({begin, end});
  }

  static bool TakesNoTime(const Step& step) {
    return step.kind == StepKind::kMark || step.kind == StepKind::kHandOver;
  }

  const Score& score_;
  const uint32_t vertex_;
  const std::span<const uint32_t> vertices_;
  std::vector<uint64_t> waits_since_ns_;  // by hand-over
  // Who waits longest for them. What they do for others on the way (a question to a back end, a
  // place in a queue that is free again) is a part of the same piece.
  uint32_t asker_ = 0xffffffff;
  Pool pool_;
};

}  // namespace

Score AddThreads(const Score& score, const AddedThreads& added,
                 std::span<const uint32_t> vertex_of_entity) {
  return WithPool(score, Pooler(score, added.vertex, vertex_of_entity).Make(), added.count);
}

Score WithPool(const Score& score, Pool pool, uint32_t more) {
  Score made = score;
  if (pool.threads.empty()) return made;
  for (uint32_t i = 0; i < more; ++i) {
    pool.threads.push_back(made.threads());
    made.like.push_back(pool.threads.front());
    made.cpu_class.push_back(made.cpu_class[pool.threads.front()]);
    made.kernel_thread.push_back(0);
    made.node.push_back(made.node[pool.threads.front()]);
    made.first_step.push_back(made.steps.size());
  }
  made.pools.push_back(std::move(pool));
  return made;
}

}  // namespace gordian
