// SPDX-License-Identifier: Apache-2.0
#include "whatif/edit/own_back_ends.h"

#include <map>

namespace gordian {
namespace {

bool IsBirthOf(const HandOverPair& pair) { return pair.count == 0; }

// By vertex, its program's threads.
std::map<uint32_t, uint32_t> ThreadCounts(const Score& score,
                                          std::span<const uint32_t> vertex_of_entity) {
  std::map<uint32_t, uint32_t> counts;
  for (EntityId thread = 0; thread < score.threads(); ++thread)
    if (score.kernel_thread[thread] == 0) ++counts[score.VertexOf(thread, vertex_of_entity)];
  return counts;
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
