// SPDX-License-Identifier: Apache-2.0
// Timed waits for a futex that go on: a thread waits with a timeout, looks, and waits again.
//
// A condition variable with a timeout, a queue that is polled with one, an interpreter's lock that
// is asked for every 5 ms: the timer ends each turn, but the thread has not got what it waits for.
// Such turns are one wait, for whoever ends the last of them. A turn that nobody ends, however
// often it is begun, is a sleep.
//
// A turn goes on if the thread did next to nothing behind it and waits again, for the same futex
// where samples tell. Between two turns it may wait shortly for a mutex, as each look takes one.
// Only threads whose waits are all for futexes, as far as samples tell, have turns. Who sleeps or
// polls by the clock does so by its own choice. Who also waits for answers may have sent what it
// gathered when the timer came; the next wait, for the answer, is another one.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/timeline/timeline.h"

namespace gordian {

class TimedWaits {
 public:
  explicit TimedWaits(const Timeline& timeline);

  // Of a wait that goes on: the thread that ended its last turn. `wait` is one of `waiter`'s own.
  std::optional<EntityId> EndedAtLastBy(EntityId waiter, const SegmentCursor& wait) const;

 private:
  struct FutexOfWait {
    SleepStart at;
    uint32_t object_id = 0;
  };
  // 0: not known.
  uint32_t FutexOf(EntityId waiter, uint64_t start_ns) const;

  const Timeline& timeline_;
  std::vector<uint8_t> has_turns_;    // by thread
  std::vector<FutexOfWait> futexes_;  // of these threads, in order
};

}  // namespace gordian
