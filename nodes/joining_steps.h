// SPDX-License-Identifier: Apache-2.0
// Steps of joining that one process and many ranks (mpi/) share; JoinNodes shows their order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nodes/join_plan.h"
#include "nodes/joined_nodes.h"
#include "nodes/node_clocks.h"

namespace gordian {

// What was found of clocks before they were tightened, and beside it; by node.
struct ClockFindings {
  std::vector<uint64_t> measured_bounds_ns;
  std::vector<uint64_t> contradictions;
};

// Without any bound there is nothing to tighten.
bool AnyBound(const JoinPlan& plan);
std::vector<uint64_t> BoundsOf(const JoinPlan& plan);
// As they were measured. `wrong`, as WrongClocks tells it: whose measurements are not believed.
NodeClocks ClocksOf(std::span<const NodeFacts> nodes, const std::vector<uint64_t>& wrong);

// Fills in what Compose leaves open.
void TellClocks(std::span<const NodeFacts> facts, const JoinPlan& plan, const NodeClocks& clocks,
                const ClockFindings& found, JoinedNodes& joined);

}  // namespace gordian
