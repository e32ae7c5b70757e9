// SPDX-License-Identifier: Apache-2.0
// Which threads count as short-lived (base/threshold.h says how to read and move these).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/threshold.h"

namespace gordian {

// Share of the recording that a short-lived thread lives at most. A thread that lives longer is
// seen for long enough to be judged by itself.
// Breaks when moved by 30 %: AreThoseThatLiveForHalfOfTheRecordingAtMost.
GORDIAN_THRESHOLD(double, kShortLife, 0.5);

// Threads of one creator. Two that follow each other may be two parts of a program.
// Breaks when moved by 30 %: AreNoneIfThereAreOnlyTwo, OfOneProcessAreOneWhateverTheirNames,
// ThatAreProcessesAreOneIfTheyAreNamedAlike.
GORDIAN_THRESHOLD(size_t, kFewestShortLived, 3);

// Times as many in all as ever lived at the same time: then they follow each other. Threads of a
// pool work side by side.
// Breaks when moved by 30 %: FollowEachOtherIfTheyAreTwiceAsManyAsEverLivedAtATime.
GORDIAN_THRESHOLD(double, kFollowEachOther, 2);

// Nanoseconds. A thread that runs longer between two timed waits has not only looked: what it did
// then may have been the work that it sleeps for.
// Breaks when moved by 30 %: GoOnIfTheThreadDidNextToNothingInBetween.
GORDIAN_THRESHOLD(uint64_t, kNextToNothingNs, 50'000);

// Nanoseconds. A shorter wait between two timed waits is for the mutex that the look takes. Idle
// workers would wait for each other otherwise, as they look at the same time.
// Breaks when moved by 30 %: PassOverAShortWaitForAMutex.
GORDIAN_THRESHOLD(uint64_t, kShortLockWaitNs, 100'000);

}  // namespace gordian
