// One replay of a score: list scheduling on n CPUs.
//
// Each thread goes through its steps; what takes no time happens at once. A thread that must run
// and has no CPU stands in the queue; the longest on a CPU gives way to it after a millisecond.
// Disks serve their queues in order, in as many slots as they have. Hand-overs are tokens: see
// docs/design-replay.md for what may overtake what.
//
// It ends, as each turn of the main loop finishes a step or a slice of one that is a millisecond
// long, and every step is done once. When nothing can go on and steps are left, the blocked one
// that was recorded first goes on by force.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "whatif/score.h"
#include "whatif/variation.h"

namespace gordian {

struct ThreadUse {
  uint64_t run_ns = 0;
  uint64_t ready_ns = 0;
  uint64_t await_ns = 0;  // for threads
  uint64_t disk_ns = 0;
  uint64_t sleep_ns = 0;
  uint64_t outside_ns = 0;
  uint64_t sleeps = 0;  // times that it stopped running to wait, and had nothing else to do
};

inline constexpr size_t kParts = 8;

struct Outcome {
  // Times of the marks that cut those asked for into parts, first and last included.
  std::array<uint64_t, kParts + 1> cut_ns{};
  uint64_t end_ns = 0;  // the last mark's time: there it stops
  // Of stretches that are played at once: so many marks had happened as the first had all of its
  // own.
  uint32_t marks_at_first_end = 0;
  uint64_t forced_steps = 0;
  std::vector<ThreadUse> threads;
  std::vector<uint64_t> disk_busy_ns;
};

// The number of the mark at which such a part begins, or, for kParts, ends.
inline uint32_t CutMark(uint32_t first_mark, uint32_t last_mark, size_t part) {
  return first_mark + static_cast<uint32_t>(uint64_t{last_mark - first_mark} * part / kParts);
}

// Marks [first, last] in the order in which they happen are timed.
Outcome Simulate(const Score& score, const Variation& variation, uint32_t first_mark,
                 uint32_t last_mark);

}  // namespace gordian
