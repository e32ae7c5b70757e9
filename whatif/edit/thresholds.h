// SPDX-License-Identifier: Apache-2.0
// The numbers that shape a changed score (base/threshold.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/threshold.h"

namespace gordian {

// Share of a thread's waits that are for its own kind. From here on the threads stand in line for
// something scarce (a pool's), and each has one request at a time.
GORDIAN_THRESHOLD(double, kMostlyEachOther, 0.5);
// Share of an edge's waits that are in loops for events of any kind. From here on the waiter can do
// something else meanwhile.
GORDIAN_THRESHOLD(double, kMostlyInLoop, 0.5);
// Threads that do a thread's disk operations if the question names no number. Common pools have 4
// (libuv) to 16 (PostgreSQL's effective_io_concurrency, 16 since version 18).
// With 1 reads would stay one after the other, which is no asynchronous reader's way.
GORDIAN_THRESHOLD(uint32_t, kHelpers, 8);
// Nanoseconds. Shorter runs are not divided: waking a helper takes tens of microseconds.
GORDIAN_THRESHOLD(uint64_t, kWorthDividingNs, 100'000);
// Of a thread's time, at each end. Without it a Go program on one thread, which wakes its idle
// threads as it begins and ends, was no computation of its own, and a second thread gained nothing.
GORDIAN_THRESHOLD(double, kBeginsOrEndsShare, 0.02);
// Fewer runs between waits show no pattern.
GORDIAN_THRESHOLD(size_t, kFewestRunsBetween, 20);
// Of the mean of those runs. Shorter ones are within one system call that waits several times;
// longer ones are whole rounds of a loop.
GORDIAN_THRESHOLD(double, kShortRun, 0.5);
// Without work left a gain is infinite: no number above this is told.
GORDIAN_THRESHOLD(double, kMostGainTold, 1000);

}  // namespace gordian
