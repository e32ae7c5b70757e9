// SPDX-License-Identifier: Apache-2.0
// Tightens clocks by causality: no message arrives before it was sent.
//
// A message sent at a on the clock of A and received at b on that of B says, with the offsets θ of
// both against the reference: a + θA(a) ≤ b + θB(b). So the bounds of one clock bound the other,
// from below or from above. Of all messages of a pair of nodes, each way, the shortest tell most:
// one is taken of each window of time. A bound learned from one node helps the next, so this goes
// around until no clock learns more, at most eight times.
//
// Measured intervals are never widened: a message that cannot be true within them is left out.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nodes/clock_bounds.h"
#include "nodes/join_plan.h"
#include "nodes/messages.h"

namespace gordian {

// The message between two nodes that took the least time, in a window of time and one way.
struct ClockFlight {
  uint32_t from = 0;
  uint32_t to = 0;
  uint64_t sent_ns = 0;      // on the clock of `from`
  uint64_t received_ns = 0;  // on the clock of `to`
  int64_t transit_ns = 0;    // as the clocks stood at first
};

// Messages between two nodes, one way.
struct WayCount {
  uint32_t from = 0;
  uint32_t to = 0;
  uint64_t messages = 0;
  uint64_t contradictions = 0;  // arrive before they were sent, for all clocks within the bounds
};

// A window's length: a long recording has longer ones, so that there are not more of them.
uint64_t CausalityWindowNs(std::span<const NodeFacts> nodes, std::span<const ClockBounds> bounds);

// `bounds` and `nodes` by node. Messages have times of their timelines, and come in order of nodes.
// What is found of one node's messages does not depend on those of others: all together are those
// of each, one behind the other.
std::vector<ClockFlight> ShortestFlights(std::span<const Message> messages,
                                         std::span<const NodeFacts> nodes,
                                         std::span<const ClockBounds> bounds, uint64_t window_ns);
// In order of (to, from).
std::vector<WayCount> CountContradictions(std::span<const Message> messages,
                                          std::span<const NodeFacts> nodes,
                                          std::span<const ClockBounds> bounds);

// The same for any number of threads.
void TightenByCausality(std::span<const ClockFlight> flights, std::vector<ClockBounds>& bounds,
                        int threads);

// Of messages to each node.
std::vector<uint64_t> ContradictionsByNode(std::span<const WayCount> ways, size_t nodes);

// Nodes whose clock was measured wrongly: with more than half of the nodes that it talks to, and
// with two at least, most messages of one way arrive before they were sent, for all clocks within
// `bounds`. The worst comes first, and no longer counts for the others: so one wrong clock does not
// blame its partners. The reference's is right by definition. Returns, by node, how many messages
// its clock contradicts; 0: it is not wrong.
std::vector<uint64_t> WrongClocks(std::span<const WayCount> ways,
                                  std::span<const ClockBounds> bounds);

}  // namespace gordian
