// SPDX-License-Identifier: Apache-2.0
// The numbers that shape a changed score (base/threshold.h).
#pragma once

#include "base/threshold.h"

namespace gordian {

// Share of a thread's waits that are for its own kind. From here on the threads stand in line for
// something scarce (a pool's), and each has one request at a time.
GORDIAN_THRESHOLD(double, kMostlyEachOther, 0.5);
// Share of an edge's waits that are in loops for events of any kind. From here on the waiter can do
// something else meanwhile.
GORDIAN_THRESHOLD(double, kMostlyInLoop, 0.5);
// Without work left a gain is infinite: no number above this is told.
GORDIAN_THRESHOLD(double, kMostGainTold, 1000);

}  // namespace gordian
