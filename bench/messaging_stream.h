// SPDX-License-Identifier: Apache-2.0
// A stream of events like one CPU's under `perf bench sched messaging`: 400 threads, about a
// microsecond apart.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/event_block.h"

namespace gordian {

// Ten groups of twenty senders and twenty receivers each. A sender wakes the receivers of its group
// that sleep and sleeps itself when its socket is full; a receiver drains its socket, wakes a
// sender of its group that waits for room, and sleeps. One queue of runnable threads. The same
// events for the same seed.
EventBlock MessagingBlock(size_t events, uint32_t seed);

}  // namespace gordian
