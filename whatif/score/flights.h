// SPDX-License-Identifier: Apache-2.0
// Messages between nodes, as the waits of their receivers tell of them.
//
// A wait for a message is cut in two: until it was sent, for its sender; from then on, for the
// link. If it was sent before its receiver went to wait, all of the wait is for the link. Both are
// one hand-over that arrives after a time on its way.
#pragma once

#include <cstdint>
#include <span>

#include "whatif/score/score.h"

namespace gordian {

// The messages that one thread waited for, as its segments pass by in order of time.
class FlightsOf {
 public:
  FlightsOf(const Timeline& timeline, EntityId receiver);

  // The message with which a wait for a link ended then; null if it is not known.
  const MessageFlight* ReceivedAt(uint64_t received_ns);

 private:
  std::span<const MessageFlight> left_;
};

}  // namespace gordian
