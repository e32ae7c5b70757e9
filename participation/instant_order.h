// SPDX-License-Identifier: Apache-2.0
// The order of effects that take no time.
#pragma once

#include <cstdint>
#include <vector>

namespace gordian {

// Between two points of one instant.
struct InstantEdge {
  uint32_t src = 0;
  uint32_t dst = 0;
  uint32_t edge = 0;  // the caller's number
};

// Puts the edges in an order in which all that lead to a point stand before all that lead from it.
// Edges of a circle have no such order: they are removed, all of them, so that it does not matter
// how they were listed. Returns how many these were.
uint64_t OrderInstantEdges(std::vector<InstantEdge>& edges);

}  // namespace gordian
