// SPDX-License-Identifier: Apache-2.0
// One replay of a score, with something different from the recording: list scheduling on the CPUs
// of each node.
//
// Each thread goes through its steps; steps without length happen at once. A thread that must run
// and has no CPU stands in the queue; the longest on a CPU gives way to it after a millisecond.
// Each node has CPUs of its own, and messages between nodes take as long as recorded.
// Disks serve their queues in order, in as many slots as they have. Hand-overs are tokens: see
// docs/design-replay.md for what may overtake what.
//
// It ends: each turn of the main loop finishes a step, or a slice of one that is a millisecond
// long, and every step is done once. When nothing can go on and steps are left, the blocked one
// that was recorded first goes on by force.
//
// Time: linear in the steps, times the logarithm of the steps under way at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "whatif/score/score.h"

namespace gordian {

// The change of the waits of a pair.
enum class DropKind : uint8_t {
  kKept,
  kAhead,  // it does not wait, but gets no further ahead than the pair's queue is long
  kGone,   // as if they had never been
};

// The requests that a thread no longer makes to a disk.
enum class DiskDrop : uint8_t { kNothing, kWait, kWaitAndAsk };

// The differences of one replay. Empty vectors: no difference.
struct Variation {
  std::vector<uint32_t> cpus = {1};  // by node
  bool order_free = false;
  double outside_factor = 1;           // of pauses that are no sleeps, …
  std::vector<uint8_t> keeps_pace;     // … of these threads; empty: of all
  std::vector<double> service_factor;  // by disk of the score
  std::vector<double> sleep_factor;    // by thread
  uint64_t sleeps_late_ns = 0;         // that a shortened sleep still ends too late
  std::vector<double> run_factor;      // by thread
  std::vector<double> off_cpu_factor;  // by thread: of the time that it is ready without a CPU
  std::vector<DropKind> pair_drops;    // by pair
  std::vector<uint8_t> asked_no_more;  // by pair: its waker gets ahead of its waiter as it likes
  std::vector<double> flight_factor;   // by pair
  std::vector<DiskDrop> disk_drops;    // thread * disks + disk
  // CPU time of a wake. A helper's thread spends it where the helper waits, and the other way
  // round. A thread that woke another in the recording saves it where the other does not wait any
  // more.
  uint64_t wake_cost_ns = 0;
  // CPU time of going to sleep and coming back. A thread that waited for another in the recording
  // saves it where it does not wait any more.
  uint64_t sleep_cost_ns = 0;
  // Of threads whose own work takes another time, by thread: how many times as long; empty: of
  // none. Waking others and going to sleep is the kernel's work: it takes so much CPU time as ever.
  std::vector<double> work_factor;
  uint64_t kept_wake_ns = 0;
  uint64_t kept_sleep_ns = 0;
  std::vector<uint8_t> not_met;  // by hand-over: 1 if nobody waits for it; empty: all are met
  std::vector<uint32_t> kind;    // by thread: alike ones share the work left to them
  struct PauseFactor {
    EntityId waits_for = kNobody;
    double factor = 1;
  };
  std::vector<std::vector<PauseFactor>> pause_factors;  // by thread

  bool DropsDisk(EntityId thread, uint32_t disk, size_t disks) const {
    return !disk_drops.empty() && disk_drops[thread * disks + disk] != DiskDrop::kNothing;
  }
  bool AsksNoMore(EntityId thread, uint32_t disk, size_t disks) const {
    return !disk_drops.empty() && disk_drops[thread * disks + disk] == DiskDrop::kWaitAndAsk;
  }
};

// How a thread spent its time.
struct ThreadUse {
  uint64_t run_ns = 0;
  uint64_t ready_ns = 0;
  uint64_t await_ns = 0;  // for threads
  uint64_t link_ns = 0;   // for messages that are under way between nodes
  uint64_t disk_ns = 0;
  uint64_t sleep_ns = 0;
  uint64_t outside_ns = 0;
  uint64_t sleeps = 0;  // times that it stopped running to wait, and had nothing else to do
};

inline constexpr size_t kParts = 8;

// Times of the marks that cut a stream's into parts, first and last included.
using MarkCuts = std::array<uint64_t, kParts + 1>;

// Marks of a stream, in the order in which they happen.
struct MarkRange {
  uint32_t first = 0;
  uint32_t last = 0;
  double Count() const { return last - first; }
};

struct PlayOutcome {
  MarkCuts cut_ns{};    // of all streams (JoinStreams)
  uint64_t end_ns = 0;  // the last mark's time: there it stops
  // Of stretches that are played at once: the number of marks when the first had all of its own.
  uint32_t marks_at_first_end = 0;
  uint64_t forced_steps = 0;
  std::vector<ThreadUse> threads;
  std::vector<uint64_t> disk_busy_ns;
};

// The number of the mark at which such a part begins, or, for kParts, ends.
inline uint32_t CutMark(uint32_t first_mark, uint32_t last_mark, size_t part) {
  return first_mark + static_cast<uint32_t>(uint64_t{last_mark - first_mark} * part / kParts);
}

// Streams go on beside each other: what one gains is not lost while another takes as long as ever.
// So their rates add up, and a part lasts as long as all its marks take at these rates.
MarkCuts JoinStreams(std::span<const MarkCuts> cuts, std::span<const MarkRange> ranges);

// The marks of each stream's range are timed; with one range all streams are one.
PlayOutcome Simulate(const Score& score, const Variation& variation,
                     std::span<const MarkRange> ranges);

}  // namespace gordian
