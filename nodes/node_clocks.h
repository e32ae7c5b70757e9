// SPDX-License-Identifier: Apache-2.0
// The bounds of each node's clock before any message is looked at.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nodes/clock_bounds.h"
#include "schema/session.pb.h"

namespace gordian {

struct NodeClockInput {
  std::string name;  // of its folder
  const pb::Session* session = nullptr;
};

struct NodeClocks {
  std::string reference;             // whose CLOCK_MONOTONIC all times become
  std::vector<ClockBounds> bounds;   // in the order asked for
  std::vector<uint8_t> is_measured;  // else only CLOCK_REALTIME tells
};

// The reference is the node that most nodes were measured against, even if its own recording is not
// among them. If no node was measured, it is the first. Nodes of the reference's kernel have its
// clock.
NodeClocks ClocksOf(const std::vector<NodeClockInput>& nodes);
// The same, but the measurements of these nodes' clocks are not believed. `is_wrong` by node.
NodeClocks ClocksOf(const std::vector<NodeClockInput>& nodes, const std::vector<uint8_t>& is_wrong);

}  // namespace gordian
