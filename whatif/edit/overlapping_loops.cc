// SPDX-License-Identifier: Apache-2.0
// Threads behind those that change: an event loop works for several of them at a time.
#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "whatif/edit/edit.h"

namespace gordian {
namespace {

class LoopBehind {
 public:
  LoopBehind(uint32_t asking, const WaitsInLoops& loops, std::span<const uint32_t> vertex_of_entity,
             Score& score)
      : asking_(asking), loops_(loops), vertices_(vertex_of_entity), score_(score) {}

  // Threads that wait in a loop for the asking ones, and answer them.
  std::vector<EntityId> Find() const {
    std::vector<uint8_t> is_asked(score_.threads()), answers(score_.threads());
    for (const HandOverPair& pair : score_.pairs) {
      if (pair.count == 0) continue;
      if (IsAsking(pair.waker)) is_asked[pair.waiter] = 1;
      if (IsAsking(pair.waiter)) answers[pair.waker] = 1;
    }
    std::vector<EntityId> found;
    for (EntityId thread = 0; thread < score_.threads(); ++thread) {
      const bool may_be = is_asked[thread] != 0 && answers[thread] != 0 && !IsAsking(thread) &&
                          score_.like[thread] != kNobody && score_.kernel_thread[thread] == 0;
      if (may_be && loops_.IsInLoop(VertexOf(thread), asking_)) found.push_back(thread);
    }
    return found;
  }

  // Pieces by the thread that asked for them. What comes before the first question is its own.
  std::map<EntityId, std::vector<Pool::Piece>> Cut(EntityId loop) {
    std::map<EntityId, std::vector<Pool::Piece>> pieces;
    size_t begin = score_.first_step[loop];
    EntityId asker = loop;
    for (size_t i = begin; i < score_.first_step[loop + 1]; ++i) {
      Step& step = score_.steps[i];
      step.keeps_seat = KeepsSeat(loop, step);
      if (step.kind != StepKind::kAwait || !IsAsking(score_.PairOf(step.number).waker)) continue;
      if (i > begin) pieces[asker].push_back({begin, i});
      begin = i;
      asker = score_.PairOf(step.number).waker;
    }
    if (score_.first_step[loop + 1] > begin)
      pieces[asker].push_back({begin, score_.first_step[loop + 1]});
    return pieces;
  }

  EntityId AddPlayer(EntityId loop) {
    const EntityId player = score_.threads();
    score_.like.push_back(score_.like[loop]);
    score_.cpu_class.push_back(score_.cpu_class[loop]);
    score_.kernel_thread.push_back(0);
    score_.node.push_back(score_.node[loop]);
    score_.first_step.push_back(score_.steps.size());
    if (!score_.stretch.empty()) score_.stretch.push_back(score_.stretch[loop]);
    score_.seat.push_back(loop);
    return player;
  }

 private:
  uint32_t VertexOf(EntityId thread) const { return score_.VertexOf(thread, vertices_); }
  bool IsAsking(EntityId thread) const { return VertexOf(thread) == asking_; }

  bool KeepsSeat(EntityId loop, const Step& step) const {
    switch (step.kind) {
      case StepKind::kAwait:
        return !loops_.IsInLoop(VertexOf(loop), VertexOf(score_.PairOf(step.number).waker));
      case StepKind::kAwaitDisk:
        return !loops_.IsInLoop(VertexOf(loop),
                                vertices_[score_.disks[score_.requests[step.number].disk].entity]);
      case StepKind::kPause:
        return !loops_.IsInLoop(VertexOf(loop),
                                step.number == kNobody ? kNobody : vertices_[step.number]);
      default:
        return false;
    }
  }

  const uint32_t asking_;
  const WaitsInLoops& loops_;
  const std::span<const uint32_t> vertices_;
  Score& score_;
};

// The threads that are added count, too.
uint32_t ThreadsOf(uint32_t vertex, const Score& score,
                   std::span<const uint32_t> vertex_of_entity) {
  uint32_t count = 0;
  for (EntityId thread = 0; thread < score.threads(); ++thread)
    if (score.VertexOf(thread, vertex_of_entity) == vertex) ++count;
  return count;
}

// How many of the vertex' threads ask at once; as many as there are if there is no number.
using AskingAtOnce = std::map<uint32_t, std::optional<uint32_t>>;

AskingAtOnce AskingAfter(const Changes& changes, const Score& score,
                         std::span<const uint32_t> vertex_of_entity) {
  AskingAtOnce asking;
  for (const LockSplit& split : changes.splits) asking[split.from] = std::nullopt;
  for (const WaitChange& wait : changes.waits) {
    const bool is_lock = !wait.keeps_up && ThreadsOf(wait.to, score, vertex_of_entity) > 0;
    if (is_lock) asking[wait.from] = std::nullopt;
  }
  for (const AddedThreads& added : changes.added_threads)
    asking[added.vertex] = ThreadsOf(added.vertex, score, vertex_of_entity);
  return asking;
}

}  // namespace

bool LetLoopsOverlap(const Changes& changes, const WaitsInLoops& loops,
                     std::span<const uint32_t> vertex_of_entity, Score& score) {
  bool any = false;
  std::vector<uint8_t> is_cut(score.threads());
  for (const Pool& pool : score.pools)
    for (const EntityId thread : pool.threads) is_cut[thread] = 1;
  for (const auto& [vertex, at_once] : AskingAfter(changes, score, vertex_of_entity)) {
    LoopBehind behind(vertex, loops, vertex_of_entity, score);
    for (const EntityId loop : behind.Find()) {
      if (std::exchange(is_cut[loop], 1) != 0) continue;
      if (score.seat.empty()) {
        for (EntityId thread = 0; thread < score.threads(); ++thread) score.seat.push_back(thread);
      }
      any = true;
      std::vector<Pool> pools;
      for (auto& [asker, pieces] : behind.Cut(loop)) {
        if (pools.empty() || !at_once) pools.emplace_back().behind = true;
        pools.back().pieces.insert(pools.back().pieces.end(), pieces.begin(), pieces.end());
      }
      for (Pool& pool : pools) {
        std::sort(pool.pieces.begin(), pool.pieces.end(),
                  [](const Pool::Piece& a, const Pool::Piece& b) { return a.begin < b.begin; });
        pool.threads.push_back(&pool == pools.data() ? loop : behind.AddPlayer(loop));
      }
      for (uint32_t more = 1; at_once && more < *at_once; ++more)
        pools.front().threads.push_back(behind.AddPlayer(loop));
      std::move(pools.begin(), pools.end(), std::back_inserter(score.pools));
    }
  }
  return any;
}

}  // namespace gordian
