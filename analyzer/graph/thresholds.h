// SPDX-License-Identifier: Apache-2.0
// Which threads are drawn as one vertex (base/threshold.h says how to read and move these).
#pragma once

#include <cstdint>

#include "base/threshold.h"

namespace gordian {

// Share of their time. Threads of one name are alike if they spend no more than this differently:
// workers of one pool differ by chance, parts of a program by the things they wait for.
GORDIAN_THRESHOLD(double, kSpentDifferently, 0.25);

// Share of a thread's waits for its like. A thread that waits mostly for a single other thread has
// a place in a chain, not in a pool.
// Breaks when moved by 30 %: recording case-nats-round-trips.
GORDIAN_THRESHOLD(double, kMostlyOne, 0.75);

// Part of the difference to another thread. A thread that differs from itself by more, at another
// time, has no role of its own: without this, which of a runtime's threads did the work of the
// others tells them apart.
GORDIAN_THRESHOLD(double, kKeepsItsRole, 0.5);

// Samples of a thread's code. Fewer say nothing: the share of a place among 40 scatters by 8 % at
// most.
GORDIAN_THRESHOLD(uint64_t, kFewestCodeSamples, 40);

// Share of a thread's sampled time in code of the program's own. With less its code says nothing:
// all threads of all programs wait in futex_wait.
// Breaks when moved by 30 %: WhoseStacksShowLibrariesOnlyGoByTheirNames.
GORDIAN_THRESHOLD(double, kLeastNamed, 0.5);

// Share of two threads' time in the same places, each as long. From here on they do the same work,
// even if their names differ; leaves room for chance.
// Breaks when moved by 30 %: OfDifferentNamesAreOneWhereTheirCodeIsNearlyEqual,
// OfTwoDrawsFromTheSameIsNearlyEqual, ThatNobodyNamedAreOneByTheirTimeOrTheirCode.
GORDIAN_THRESHOLD(double, kNearlyEqual, 0.85);

// Share of a thread's time in places where the other was seen at all. Below it they do different
// work, even if their names are alike; leaves room for chance.
GORDIAN_THRESHOLD(double, kClearlyDifferent, 0.2);

}  // namespace gordian
