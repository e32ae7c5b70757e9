// SPDX-License-Identifier: Apache-2.0
#include "analyzer/graph/turns.h"

#include <algorithm>

#include "analyzer/graph/thresholds.h"

namespace gordian {
namespace {

// Two that wait for each other have roles: one asks, and the other answers.
constexpr size_t kFewestInTurn = 3;

// The one of its class for which it mostly waits.
EntityId MostlyWaitsFor(const WaitForGraph& graph, std::span<const uint32_t> class_of,
                        EntityId id) {
  double own_class_ns = 0;
  const Edge* longest = nullptr;
  for (const Edge& edge : EdgesFrom(graph, id)) {
    if (class_of[edge.to] != class_of[id]) continue;
    own_class_ns += static_cast<double>(edge.own_ns);
    if (longest == nullptr || edge.own_ns > longest->own_ns) longest = &edge;
  }
  const bool is_one = longest != nullptr && longest->own_ns > 0 && longest->to != id &&
                      static_cast<double>(longest->own_ns) >= kMostlyOne * own_class_ns;
  return is_one ? longest->to : kNobody;
}

}  // namespace

std::span<const Edge> EdgesFrom(const WaitForGraph& graph, EntityId from) {
  const auto first = std::lower_bound(graph.edges.begin(), graph.edges.end(), from,
                                      [](const Edge& edge, EntityId id) { return edge.from < id; });
  auto last = first;
  while (last != graph.edges.end() && last->from == from) ++last;
  return {first, last};
}

std::vector<bool> ThreadsThatTakeTurns(const WaitForGraph& graph,
                                       std::span<const EntityId> candidates,
                                       std::span<const uint32_t> class_of) {
  std::vector<bool> takes_turns(class_of.size());
  std::vector<size_t> seen_from(class_of.size());  // 0: not yet
  for (size_t i = 0; i < candidates.size(); ++i) {
    EntityId at = candidates[i];
    while (at != kNobody && seen_from[at] == 0) {
      seen_from[at] = i + 1;
      at = MostlyWaitsFor(graph, class_of, at);
    }
    if (at == kNobody || seen_from[at] != i + 1) continue;
    std::vector<EntityId> ring = {at};
    for (EntityId next = MostlyWaitsFor(graph, class_of, at); next != at;
         next = MostlyWaitsFor(graph, class_of, next))
      ring.push_back(next);
    if (ring.size() < kFewestInTurn) continue;
    for (const EntityId member : ring) takes_turns[member] = true;
  }
  return takes_turns;
}

}  // namespace gordian
