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
#include "nodes/messages.h"

namespace gordian {

// `bounds` and `timelines` by node. Messages have times of their timelines. Returns, by receiving
// node, how many messages arrive before they were sent for all clocks within the bounds.
std::vector<uint64_t> TightenByCausality(std::span<const Message> messages,
                                         std::span<const Timeline* const> timelines,
                                         std::vector<ClockBounds>& bounds);

// Nodes whose clock was measured wrongly: with more than half of the nodes that it talks to, and
// with two at least, most messages of one way arrive before they were sent, for all clocks within
// `bounds`. The worst comes
// first, and no longer counts for the others: so one wrong clock does not blame its partners. The
// reference's is right by definition. Returns, by node, how many messages its clock contradicts; 0:
// it is not wrong.
std::vector<uint64_t> WrongClocks(std::span<const Message> messages,
                                  std::span<const Timeline* const> timelines,
                                  std::span<const ClockBounds> bounds);

}  // namespace gordian
