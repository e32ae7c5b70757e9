// SPDX-License-Identifier: Apache-2.0
// Which threads count as short-lived (base/threshold.h says how to read and move these).
#pragma once

#include <cstddef>

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

}  // namespace gordian
