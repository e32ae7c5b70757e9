// SPDX-License-Identifier: Apache-2.0
// When a thread counts as spinning, and as woken for nothing (base/threshold.h says how to read and
// move these).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/threshold.h"

namespace gordian {

// Nanoseconds. A thread that runs longer between two sleeps at one place may have done a short work
// that is not visible.
// Breaks when moved by 30 %: OfWakesForNothingAreFollowedByAdvice,
// WakesForNothingThatAreGoneLeaveTheirCpuTime.
GORDIAN_THRESHOLD(uint64_t, kMostRunNs, 10'000);

// Nanoseconds. A thread that runs this long has worked, even if nothing else shows it.
GORDIAN_THRESHOLD(uint64_t, kLeastWorkNs, 30'000);

// Nanoseconds. Threads that one thread wakes within this were woken for the same thing: if there
// was work for only one of them, the others' wakeups were false.
GORDIAN_THRESHOLD(uint64_t, kAtOnceNs, 100'000);

// False wakeups at a place. A few may be chance.
// Breaks when moved by 30 %: TakeMoreThanAFew, AreLookedForInTheRangeOnly.
GORDIAN_THRESHOLD(uint64_t, kFewestWakeups, 10);

// Share of the false wakeups at a place: so many other wakeups there must lead to visible work. If
// fewer do, the work of that place may not be visible.
GORDIAN_THRESHOLD(double, kLeastWorked, 0.01);

// Samples on a CPU in code that only waits. A few may be of threads that take the lock at once.
// Breaks when moved by 30 %: TakeMoreThanAFewSamples.
GORDIAN_THRESHOLD(uint64_t, kFewestSpinSamples, 5);

// Share of a place's samples that the program itself calls a spin. From here on the program tells
// of the place, and needs no suggestion. The other samples are of threads that take the lock at
// once and do not say so.
// Breaks when moved by 30 %: ThatProbesTellOfMostlyAreNotSuggestedForTheRest.
GORDIAN_THRESHOLD(double, kToldAlready, 0.5);

}  // namespace gordian
