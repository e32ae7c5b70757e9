// SPDX-License-Identifier: Apache-2.0
// Which thread waits for which, and when: a timeline's waits between the threads as they count in
// the graph.
//
// Waits are the segments of kind wait and spin whose waker is known (or known to be unknown: then
// they wait for the pseudo-thread `unknown`). A wait that had not ended with the recording has no
// waker and makes no edge.
//
// Timed waits for a futex that go on (timed_waits.h). Each turn that the timer ended is a wait for
// the thread that ended the last turn.
//
// Ends of I/O that a kernel thread only passes on. A worker of the kernel sleeps without work; a
// disk wakes it; without another wait it wakes a thread. Until the disk woke it, that thread waited
// for the disk; from then on, for the worker. (Workers that wait for a disk in the midst of their
// work are threads like others.)
//
// Short-lived threads. A thread that was born and died within the recording, and lived for at most
// half of it, is short-lived. Those of one creator and process become one virtual thread if they
// are at least kFewestShortLived and follow each other: twice as many in all as ever lived at the
// same time. Threads of a pool, which work side by side, do not. Threads that are the first of
// a process of their own count as of one process with those of the same name.
// A virtual thread lives as long as the recording. It runs while any of its threads runs; else is
// runnable while any is; else spins while any spins; else is unknown while any is; else waits. It
// waits for the thread that first makes one of them runnable: the waker of a thread that waits, or,
// when a thread is born, the creator. After the last death it waits for its creator. Waits of
// others for any of them are waits for the virtual thread. Their ledgers stay their own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analyzer/model/model.h"
#include "analyzer/timeline/timeline.h"
#include "analyzer/waits/timed_waits.h"

namespace gordian {

struct WaitInterval {
  uint64_t start_ns = 0;
  uint64_t end_ns = 0;
  EntityId waiter = kNobody;
  EntityId waker = kNobody;
  bool operator==(const WaitInterval&) const = default;
};

inline constexpr size_t kSegmentKinds = 5;

// How a thread spent a window (from_ns, to_ns] of time in which it went from one state to another.
// A thread without such a row, if it lived then, was in one state all along.
struct Ledger {
  EntityId thread = kNobody;
  SegmentKind at_start = SegmentKind::kUnknown;  // its state at from_ns, if it lived then
  SegmentKind at_end = SegmentKind::kUnknown;    // … at to_ns
  uint16_t unused = 0;
  std::array<uint64_t, kSegmentKinds> time_ns{};  // within the window, by SegmentKind
  bool operator==(const Ledger&) const = default;
};

// All that threads did within a window of time.
struct WindowOfThreads {
  std::vector<WaitInterval> waits;  // those that overlap it, whole, by waiter, then by time
  // By thread; also of those that are merged. Left out: threads without a change of state, and
  // those that were born and died within the window, whose times are those of their whole lives.
  std::vector<Ledger> ledgers;
  // The waits of single threads for disks that overlap it, whole, by waiter, then by time.
  std::vector<WaitInterval> disk_waits;
};

struct WaitsOptions {
  bool merge_short_lived = true;
  int threads = 0;
};

// A wait is for `disk` until `from_ns`, and for its waker from then on.
struct PassedOn {
  uint64_t from_ns = 0;
  EntityId disk = kNobody;
};

class Waits {
 public:
  // `timeline` must outlive it.
  Waits(const Timeline& timeline, const WaitsOptions& options);

  const Timeline& timeline() const { return timeline_; }
  // The timeline's, with `merged_into` set, and behind them the virtual threads.
  const std::vector<Entity>& entities() const { return entities_; }
  // The virtual thread of a merged one; any other entity itself.
  EntityId Representative(EntityId entity) const {
    const EntityId merged_into = merged_into_[entity];
    return merged_into == kNobody ? entity : merged_into;
  }

  // Appends all waits that overlap [from_ns, to_ns), whole, in order of waiters, then of time.
  // Thread-safe.
  void Collect(uint64_t from_ns, uint64_t to_ns, std::vector<WaitInterval>& waits) const;

  // These waits, and all else that one walk over the segments tells. Replaces what `window` held.
  // Thread-safe.
  void CollectAll(uint64_t from_ns, uint64_t to_ns, WindowOfThreads& window) const;

  // Of a wait.
  std::optional<PassedOn> PassedOnEnd(const SegmentCursor& wait) const;
  // Of a wait or spin of `waiter` whose waker is known: the entity that it counts as a wait for.
  EntityId CountsFor(EntityId waiter, const SegmentCursor& wait) const;

  // The segments of a thread or a virtual thread, from the one that holds from_ns on.
  SegmentCursor SegmentsFrom(EntityId thread, uint64_t from_ns = 0) const;

  // The single waits of `waiter` for `waker` that overlap [from_ns, to_ns), whole, in order of
  // time. kNobody: all waits, also those without a waker.
  std::vector<Wait> Between(EntityId waiter, EntityId waker, uint64_t from_ns,
                            uint64_t to_ns) const;

 private:
  friend class ShortLivedThreads;
  struct VirtualThread {
    std::vector<ThreadSegment> segments;
    std::span<ThreadSegment> piece;  // all of them
  };

  // The one or two waits that a segment is, as far as they overlap [from_ns, to_ns).
  void AddWaitsOf(EntityId waiter, const SegmentCursor& at, uint64_t from_ns, uint64_t to_ns,
                  std::vector<WaitInterval>& waits) const;
  void AddThread(EntityId thread, uint64_t from_ns, uint64_t to_ns, WindowOfThreads& window) const;
  // Calls each(thread) for all that live within [from_ns, to_ns).
  template <typename Each>
  void ForEachThread(uint64_t from_ns, uint64_t to_ns, Each each) const;
  bool IsThread(EntityId id) const { return id < timeline_.thread_count() || id >= first_virtual_; }

  const Timeline& timeline_;
  std::vector<Entity> entities_;
  std::vector<EntityId> merged_into_;
  TimedWaits timed_waits_;
  std::vector<uint8_t> is_kernel_thread_;  // by thread: asked for each wait
  EntityId first_virtual_ = 0;
  std::vector<VirtualThread> virtual_threads_;
};

}  // namespace gordian
