// Tightens clocks by causality: no message arrives before it was sent.
//
// A message sent at a on the clock of A and received at b on that of B says, with the offsets θ of
// both against the reference: a + θA(a) ≤ b + θB(b). So what is known of the one bounds the other,
// from below or from above. Of all messages of a pair of nodes, each way, the ones that took the
// shortest tell most: of each window of time one is taken. What a clock learned from one node helps
// the next, so this goes around until nobody learns any more, at most eight times.
//
// What the measurements say is never widened: a message that cannot be true within it is left out.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/nodes/clock_bounds.h"
#include "analyzer/nodes/messages.h"

namespace gordian {

// `bounds` by node. Returns how many messages arrive before they were sent whatever the clocks are
// within their bounds, by the node that received them.
std::vector<uint64_t> TightenByCausality(std::span<const Message> messages,
                                         std::vector<ClockBounds>& bounds);

}  // namespace gordian
