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
// the others ends. So the forest at an instant depends only on the waits at that instant. The
// recording can be cut into windows of time, swept in parallel and added up: the result is the same
// for any windows and threads.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "analyzer/model/model.h"
#include "analyzer/waits/waits.h"

namespace gordian {

// Appends all waits that overlap [from_ns, to_ns), whole, in order of waiters, then of time; waits
// of one waiter do not overlap. Called from several threads at a time.
using CollectWaits =
    std::function<void(uint64_t from_ns, uint64_t to_ns, std::vector<WaitInterval>& waits)>;

struct CascadeOptions {
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;             // only waits within [from_ns, to_ns) count
  std::vector<uint64_t> borders;  // where to cut it into windows; those outside are ignored
  size_t entities = 0;            // all ids are below
  int threads = 0;                // 0: as many as there are CPUs
  std::function<void(double share)> progress;  // from the calling thread; may be empty
};

struct CascadeResult {
  std::vector<Edge> edges;    // by (from, to)
  uint64_t cyclic_links = 0;  // waits whose link was left out when they began
};

CascadeResult Cascade(const CollectWaits& collect, const CascadeOptions& options);

}  // namespace gordian
