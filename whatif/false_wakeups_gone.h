// Wakes for nothing that do not happen any more.
#pragma once

#include <cstdint>
#include <span>

#include "whatif/score.h"

namespace gordian {

struct WithoutFalseWakeups {
  Score score;
  uint64_t wakes = 0;  // of that vertex' threads by others
  uint64_t gone = 0;   // of those
};

// A thread of `vertex` was woken for nothing if from its wake by another kind of thread to the
// next wait that another kind ends (or that never ends) it ran no longer than 10 us,
// asked no disk for anything and woke nobody but its like. All that is gone, waits
// for locks among its like included; only marks stay, and nobody waits any more for a lock that
// was held meanwhile.
WithoutFalseWakeups TakeOutFalseWakeups(const Score& score, uint32_t vertex,
                                        std::span<const uint32_t> vertex_of_entity);

}  // namespace gordian
