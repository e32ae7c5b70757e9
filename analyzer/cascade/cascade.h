// SPDX-License-Identifier: Apache-2.0
// Cascaded redistribution: how much all threads' waits, direct and indirect, weigh on each edge.
//
// Definition (wPerf, Figure 4): each wait of X for Y adds its length to the edge X→Y, and every
// wait of Y that overlaps it is clipped to the overlap and treated the same way, recursively.
//
// The same numbers come from one sweep over time. At any instant every waiter points at the waker
// that will end its wait, so waiters and wakers form a forest. The recursion counts an instant of
// X's wait once for X itself and once for every thread that waits for X, directly or through
// others: that is the size of X's subtree. Therefore, in nanoseconds and exactly,
//
//   weight(X→Y) = ∫ |subtree of X at t| dt   over the times X waits for Y.
//
// A wait's start links X below Y, its end cuts it off; both walk up from Y, so they cost the depth
// of the chain there.
//
// A wait points at the waker that ended it, for all of its time; never at the thread that was
// expected to end it at the time. A vertex that never waits (a disk, an interface, the timer, an
// interrupt, `unknown`) is a root: nothing is passed on through it. A device's idle edges
// (analyzer/devices) have no part in this: a thread waits for a disk while the disk is busy, a disk
// for a thread while it is idle.
//
// Cycles. A true trace has no cycle: a thread that wakes another runs. But a longer wait (false
// wakeups), a spin, lost records and merged threads can close one. Then the wait on the cycle that
// began last (of the greater waiter, if several did) has no link while the others last. It counts
// with its own length and with its waiters, but is not passed on. It is linked as soon as one of
// the others ends. So the forest at an instant depends only on the waits at that instant.
//
// Windows. So the recording can be cut into windows of time, swept in parallel and added up: the
// result is the same for any windows and threads. What a window keeps adds up exactly over any run
// of windows:
//
// - of waits wholly inside of the window their own time, number, and the longest, by edge;
// - the straddlers, waits that go on behind the window, each once, in the window in which it
// begins,
//   as start and end: any range clips them exactly;
// - of both, by edge, what the waits behind them add to their weight: weight - own time. A thread
//   that sleeps through a window, with no thread behind it, has no row there.
//
// To a range of windows belong also the waits that had begun before it (EdgeTotals::AddWaits).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/cascade/wait_forest.h"
#include "analyzer/model/model.h"
#include "analyzer/waits/time_order.h"
#include "analyzer/waits/waits.h"

namespace gordian {

// An edge within a window.
struct EdgeSum {
  EntityId from = 0;
  EntityId to = 0;
  uint64_t own_ns = 0;      // waits wholly inside of the window …
  uint64_t count = 0;       // … their number …
  uint64_t longest_ns = 0;  // … and the longest
  uint64_t behind_ns = 0;   // all waits in the window: weight less own time, modulo 2^64
  bool operator==(const EdgeSum&) const = default;
};

struct CascadeWindow {
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;
  std::vector<EdgeSum> edges;            // by (from, to)
  std::vector<WaitInterval> straddlers;  // whole; by waiter, who has one at most
  uint64_t cyclic_links = 0;             // waits that begin inside and whose link was left out then
};

// Sweeps windows, one after the other; keeps its memory.
class CascadeSweeper {
 public:
  // All ids are below `entities`.
  explicit CascadeSweeper(size_t entities);

  // `waits`: all that overlap the window, whole, in order of waiters, then of time. Waits of one
  // waiter do not overlap.
  CascadeWindow Sweep(std::span<const WaitInterval> waits, uint64_t from_ns, uint64_t to_ns);

 private:
  void OrderBeginnings();
  void OrderEnds();
  void Begin(const TimedIndex& entry);
  void SumUpWaiter(size_t first, size_t end, CascadeWindow& window);
  EdgeSum& Row(EntityId from, EntityId to, size_t first_row, std::vector<EdgeSum>& rows);

  WaitForest forest_;
  std::vector<uint32_t> row_of_;  // the last row of an edge to each waker
  std::span<const WaitInterval> waits_;
  uint64_t from_ns_ = 0;
  uint64_t to_ns_ = 0;
  uint64_t cyclic_links_ = 0;
  std::vector<uint64_t> weights_ns_;  // by wait, within the window
  std::vector<TimedIndex> carried_, beginnings_, ends_, scratch_;
};

// Two windows, of which the second begins where the first ends, as one.
CascadeWindow Joined(const CascadeWindow& first, const CascadeWindow& second);

}  // namespace gordian
