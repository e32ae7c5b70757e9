// SPDX-License-Identifier: Apache-2.0
// Threads that take turns: each waits for the one whose turn comes before its own, and the first
// for the last. So do equal users of a lock that is given in order of arrival. Whom each waits for
// is chance then, and no place in a chain. Two may change places once: from then on each waits for
// another one, and yet all of them go round.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/model/model.h"

namespace gordian {

// The waits of one thread; the graph's edges are in order of `from`.
std::span<const Edge> EdgesFrom(const WaitForGraph& graph, EntityId from);

// By entity: whether it takes turns with others of its class. `class_of` by entity, too.
std::vector<bool> ThreadsThatTakeTurns(const WaitForGraph& graph,
                                       std::span<const EntityId> candidates,
                                       std::span<const uint32_t> class_of);

}  // namespace gordian
