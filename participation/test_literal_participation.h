// SPDX-License-Identifier: Apache-2.0
// Participation by its definition: the activity graph of a window, made edge by edge, and the paths
// through it counted on each. Slow, and made of nothing that the library is made of but its types.
#pragma once

#include <map>
#include <string>
#include <tuple>

#include "participation/recorded_participation.h"

namespace gordian {

struct LiteralParticipation {
  double paths = 0;
  std::map<std::tuple<EntityId, uint32_t, RecordedActivity>, double> cp;  // above 0
  // Stretches of one state and phase on the average path.
  std::map<std::tuple<EntityId, uint32_t, RecordedActivity>, double> stretches;
  std::map<std::tuple<EntityId, EntityId, HopKind>, double> crossings;  // likewise
  std::map<std::tuple<EntityId, EntityId>, double> message_cp;
  double most_from_start = 0;  // the most paths from the beginning to any point that is on a path
};

LiteralParticipation CountPaths(const RecordedGraph& graph, uint64_t from_ns, uint64_t to_ns);

// Empty if they are the same, to a billionth.
std::string Difference(const LiteralParticipation& literal, const WindowParticipation& window);

}  // namespace gordian
