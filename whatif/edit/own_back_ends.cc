// SPDX-License-Identifier: Apache-2.0
#include "whatif/edit/own_back_ends.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace gordian {
namespace {

// Connections of a thread, for each thread that it asks. With more it holds requests back: it is a
// pool. With as many, a thread that was never asked twice may just have had one client.
constexpr uint32_t kMoreClientsThanServers = 2;
// Share of the questions. A question may come in two messages; more often, several are under way.
constexpr double kRarelyAskedAgain = 0.1;

bool IsBirthOf(const HandOverPair& pair) { return pair.count == 0; }

// By vertex, its program's threads.
std::map<uint32_t, uint32_t> ThreadCounts(const Score& score,
                                          std::span<const uint32_t> vertex_of_entity) {
  std::map<uint32_t, uint32_t> counts;
  for (EntityId thread = 0; thread < score.threads(); ++thread)
    if (score.kernel_thread[thread] == 0) ++counts[score.VertexOf(thread, vertex_of_entity)];
  return counts;
}

// The thread of another program that alone asks this one, on one connection, if that is known.
// kNobody without such a thread, or if it asks again while an answer is due. A back end that is
// hardly ever without work waits too rarely to show who asks; whom it answers does.
EntityId OnlyAskerOf(const Score& score, EntityId thread) {
  if (score.connections[thread] > 1) return kNobody;
  EntityId asker = kNobody;
  bool is_due = false;
  uint64_t questions = 0, while_due = 0;
  for (const Step& step : score.StepsOf(thread)) {
    if (step.kind != StepKind::kAwait && step.kind != StepKind::kHandOver) continue;
    const HandOverPair& pair = score.PairOf(step.number);
    const EntityId other = step.kind == StepKind::kAwait ? pair.waker : pair.waiter;
    if (IsBirthOf(pair) || score.kernel_thread[other] != 0) continue;
    if (asker == kNobody) asker = other;
    if (other != asker || score.process[other] == score.process[thread]) return kNobody;
    if (step.kind == StepKind::kAwait) {
      ++questions;
      while_due += is_due ? 1 : 0;
    }
    is_due = step.kind == StepKind::kAwait;
  }
  const bool is_asked_again =
      static_cast<double>(while_due) > kRarelyAskedAgain * static_cast<double>(questions);
  return is_asked_again ? kNobody : asker;
}

}  // namespace

std::vector<uint8_t> BehindOneConnection(const Score& score,
                                         const std::function<bool(uint32_t vertex)>& asks,
                                         std::span<const uint32_t> vertex_of_entity) {
  std::vector<uint8_t> behind(score.threads());
  for (EntityId thread = 0; thread < score.connections.size(); ++thread)
    behind[thread] = score.connections[thread] == 1 ? 1 : 0;
  const std::vector<uint8_t> may_be = behind;
  std::vector<uint8_t> serves(score.threads());
  const auto meet = [&](EntityId thread, EntityId other) {
    if (may_be[thread] == 0 || score.kernel_thread[other] != 0) return;
    const bool is_asked_by = asks(score.VertexOf(other, vertex_of_entity)) &&
                             score.process[other] != score.process[thread];
    if (!is_asked_by) behind[thread] = 0;
    serves[thread] = 1;
  };
  for (const HandOverPair& pair : score.pairs) {
    if (IsBirthOf(pair)) continue;
    meet(pair.waker, pair.waiter);
    meet(pair.waiter, pair.waker);
  }
  for (EntityId thread = 0; thread < behind.size(); ++thread) behind[thread] &= serves[thread];
  return behind;
}

std::vector<uint8_t> OneAtATimeForAPool(const Score& score,
                                        const std::function<bool(uint32_t vertex)>& asks,
                                        std::span<const uint32_t> vertex_of_entity) {
  std::vector<uint8_t> one_at_a_time(score.threads());
  if (score.connections.empty()) return one_at_a_time;
  std::map<std::pair<EntityId, uint32_t>, uint32_t> servers;  // by asker and their vertex
  std::vector<EntityId> asker(score.threads(), kNobody);
  for (EntityId thread = 0; thread < score.threads(); ++thread) {
    if (score.kernel_thread[thread] != 0) continue;
    asker[thread] = OnlyAskerOf(score, thread);
    if (asker[thread] != kNobody)
      ++servers[{asker[thread], score.VertexOf(thread, vertex_of_entity)}];
  }
  for (EntityId thread = 0; thread < score.threads(); ++thread) {
    const EntityId pool = asker[thread];
    if (pool == kNobody || asks(score.VertexOf(pool, vertex_of_entity))) continue;
    const uint32_t alike = servers[{pool, score.VertexOf(thread, vertex_of_entity)}];
    one_at_a_time[thread] = score.connections[pool] > kMoreClientsThanServers * alike ? 1 : 0;
  }
  return one_at_a_time;
}

double MostOfThoseOneAtATime(const Score& score, const std::function<bool(uint32_t vertex)>& asks,
                             std::span<const uint32_t> vertex_of_entity) {
  struct Times {
    uint64_t all_ns = 0;
    uint64_t without_work_ns = 0;
  };
  std::map<uint32_t, Times> times_of;  // by vertex
  const std::vector<uint8_t> one_at_a_time = OneAtATimeForAPool(score, asks, vertex_of_entity);
  for (EntityId thread = 0; thread < score.threads(); ++thread) {
    if (one_at_a_time[thread] == 0) continue;
    Times& times = times_of[score.VertexOf(thread, vertex_of_entity)];
    const EntityId asker = OnlyAskerOf(score, thread);
    for (const Step& step : score.StepsOf(thread)) {
      times.all_ns += step.duration_ns;
      const bool is_for_work =
          (step.kind == StepKind::kAwait && score.PairOf(step.number).waker == asker) ||
          (step.kind == StepKind::kPause && step.number == asker);
      if (is_for_work) times.without_work_ns += step.duration_ns;
    }
  }
  double most = std::numeric_limits<double>::infinity();
  for (const auto& [vertex, times] : times_of) {
    const auto at_work_ns = static_cast<double>(times.all_ns - times.without_work_ns);
    most = std::min(most, static_cast<double>(times.all_ns) / std::max(1.0, at_work_ns));
  }
  return most;
}

std::vector<AddedThreads> WithOwnBackEnds(const Score& score, std::span<const AddedThreads> added,
                                          std::span<const uint32_t> vertex_of_entity) {
  std::vector<AddedThreads> all(added.begin(), added.end());
  const std::map<uint32_t, uint32_t> threads_of = ThreadCounts(score, vertex_of_entity);
  for (const AddedThreads& one : added) {
    const std::vector<uint8_t> behind = BehindOneConnection(
        score, [&](uint32_t vertex) { return vertex == one.vertex; }, vertex_of_entity);
    std::map<uint32_t, uint32_t> back_ends;
    for (EntityId thread = 0; thread < behind.size(); ++thread)
      if (behind[thread] != 0) ++back_ends[score.VertexOf(thread, vertex_of_entity)];
    const auto askers = threads_of.find(one.vertex);
    for (const auto& [vertex, count] : back_ends) {
      if (vertex == one.vertex || askers == threads_of.end() || count < askers->second) continue;
      all.push_back({.vertex = vertex, .count = one.count});
    }
  }
  return all;
}

}  // namespace gordian
