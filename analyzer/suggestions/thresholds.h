// What counts as spinning, and as woken for nothing (base/threshold.h says how to read and move
// these).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/threshold.h"

namespace gordian {

// Nanoseconds. Who runs for longer between two sleeps at one place may have done a short work that
// nobody sees.
// Breaks when moved by 30 %: OfWakesForNothingAreFollowedByAdvice,
// WakesForNothingThatAreGoneLeaveTheirCpuTime.
GORDIAN_THRESHOLD(uint64_t, kMostRunNs, 10'000);

// Nanoseconds. Who runs for so long has worked, whatever else is seen of it.
GORDIAN_THRESHOLD(uint64_t, kLeastWorkNs, 30'000);

// Nanoseconds. Threads that one thread wakes within this were woken for the same thing: that there
// was work for one of them only makes the others' wakeups false.
GORDIAN_THRESHOLD(uint64_t, kAtOnceNs, 100'000);

// False wakeups at a place. A few may be chance.
// Breaks when moved by 30 %: TakeMoreThanAFew, AreLookedForInTheRangeOnly.
GORDIAN_THRESHOLD(uint64_t, kFewestWakeups, 10);

// Share of the false wakeups at a place, as which others there led to work that is seen. Where
// fewer did, the work of that place may be one that nobody sees.
GORDIAN_THRESHOLD(double, kLeastWorked, 0.01);

// Samples on a CPU in code that only waits. A few may be who takes the lock at once.
// Breaks when moved by 30 %: TakeMoreThanAFewSamples.
GORDIAN_THRESHOLD(uint64_t, kFewestSpinSamples, 5);

// Share of a place's samples that the program itself calls a spin. From here on it tells of the
// place, and needs no suggestion: who takes the lock at once is seen there without saying so.
// Breaks when moved by 30 %: ThatProbesTellOfMostlyAreNotSuggestedForTheRest.
GORDIAN_THRESHOLD(double, kToldAlready, 0.5);

}  // namespace gordian
