// What is different from the recording in one replay of its score.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/model/model.h"

namespace gordian {

// What becomes of the waits of a pair.
enum class DropKind : uint8_t {
  kKept,
  kAhead,  // it does not wait, but gets no further ahead than the pair's queue is long
  kGone,   // as if they had never been
};

// What a thread does no more with a disk.
enum class DiskDrop : uint8_t { kNothing, kWait, kWaitAndAsk };

// Empty vectors: nothing is different.
struct Variation {
  uint32_t cpus = 1;
  bool order_free = false;
  // Who finds several things to do does all of them, then hands over what comes of it.
  bool in_batches = false;
  double outside_factor = 1;           // of pauses that are no sleeps, …
  std::vector<uint8_t> keeps_pace;     // … of these threads; empty: of all
  std::vector<double> service_factor;  // by disk of the score
  std::vector<double> sleep_factor;    // by thread
  uint64_t sleeps_late_ns = 0;         // that a shortened sleep still ends too late
  std::vector<double> run_factor;      // by thread
  std::vector<DropKind> pair_drops;    // by pair
  std::vector<DiskDrop> disk_drops;    // thread * disks + disk
  std::vector<uint32_t> kind;          // by thread: alike ones share what is left to them
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

}  // namespace gordian
