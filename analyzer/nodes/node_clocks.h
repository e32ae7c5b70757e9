// What is known of each node's clock before any message was looked at.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/nodes/clock_bounds.h"
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

// The reference is what most nodes were measured against, whether its own recording is among them
// or not; where none was measured, the first. Nodes of the reference's kernel have its clock.
NodeClocks ClocksOf(const std::vector<NodeClockInput>& nodes);

}  // namespace gordian
