// SPDX-License-Identifier: Apache-2.0
#include "analyzer/graph/turns.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "analyzer/graph/thresholds.h"
#include "analyzer/knots/strong_components.h"

namespace gordian {
namespace {

// Two that wait for each other have roles: one asks, and the other answers.
constexpr size_t kFewestInTurn = 3;

using TurnWait = std::pair<EntityId, EntityId>;

// The waits for those of the class that are too much to be a thread's exceptions. Who comes next at
// a lock may change once in a recording: then a thread has two such waits.
std::vector<TurnWait> UsualWaits(const WaitForGraph& graph, std::span<const EntityId> candidates,
                                 std::span<const uint32_t> class_of) {
  std::vector<TurnWait> waits;
  for (const EntityId id : candidates) {
    double own_class_ns = 0;
    for (const Edge& edge : EdgesFrom(graph, id)) {
      if (class_of[edge.to] == class_of[id]) own_class_ns += static_cast<double>(edge.own_ns);
    }
    for (const Edge& edge : EdgesFrom(graph, id)) {
      if (class_of[edge.to] == class_of[id] && edge.to != id &&
          static_cast<double>(edge.own_ns) > (1 - kMostlyOne) * own_class_ns)
        waits.emplace_back(id, edge.to);
    }
  }
  std::sort(waits.begin(), waits.end());
  return waits;
}

// Stages of a pipeline wait for the one before and the one behind. Without the waits that go both
// ways no circle of them is left.
std::vector<TurnWait> OneWay(const std::vector<TurnWait>& waits) {
  std::vector<TurnWait> one_way;
  std::copy_if(waits.begin(), waits.end(), std::back_inserter(one_way), [&](const TurnWait& wait) {
    return !std::binary_search(waits.begin(), waits.end(), TurnWait{wait.second, wait.first});
  });
  return one_way;
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
  const auto count = static_cast<uint32_t>(class_of.size());
  const std::vector<uint32_t> circle_of =
      ComponentNumbers(count, OneWay(UsualWaits(graph, candidates, class_of)));
  std::vector<size_t> members(count);
  for (const EntityId id : candidates) ++members[circle_of[id]];
  std::vector<bool> takes_turns(count);
  for (const EntityId id : candidates) takes_turns[id] = members[circle_of[id]] >= kFewestInTurn;
  return takes_turns;
}

}  // namespace gordian
