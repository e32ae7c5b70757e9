// SPDX-License-Identifier: Apache-2.0
// The numbers that decide which calls are on the way of waits (base/threshold.h).
#pragma once

#include <cstdint>

#include "base/threshold.h"

namespace gordian {

// Fewer running samples of a vertex only tell the most that may be on the way.
// Breaks when moved by 30 %: FewSamplesOnlyTellWhatMayBe,
// WhatItTakesToWakeIsTheTimeInTheCallsThatDo.
GORDIAN_THRESHOLD(uint64_t, kFewestRunSamples, 10);
// Share of the removed waits. A call that makes up less is not on their way.
GORDIAN_THRESHOLD(double, kCallCounts, 0.1);
// So many functions of the program, from the system call outwards, make it this call.
GORDIAN_THRESHOLD(size_t, kCallersOfCall, 3);
// Standard deviations: 19 times of 20 the true share lies within.
// Breaks when moved by 30 %: FewSamplesOnlyTellWhatMayBe.
GORDIAN_THRESHOLD(double, kNormalDeviations, 1.96);

// Stretches of a kind. Fewer of them, with waits or without, tell nothing of what a wait costs.
GORDIAN_THRESHOLD(size_t, kFewestStretches, 20);

// Share of the operations that would meet others of alike threads by chance. Where fewer do, the
// threads take turns at them. With half of it, waits that a loaded machine tells too long would
// hide a lock; with 1 threads that only seldom operate would seem to take turns.
GORDIAN_THRESHOLD(double, kHardlyAny, 0.1);
// Share of the time asleep that is in several sleeps with nothing but a look between. Without it a
// thread that sleeps once between its operations, as it likes, would seem to wait for a lock. As
// many sleeps must begin while another thread has the lock: else workers that look for jobs by the
// clock would seem to wait for the lock under which they write.
GORDIAN_THRESHOLD(double, kMostSleeps, 0.5);
// Factor of a disk's service time. A disk that is as fast leaves no path to its waits.
GORDIAN_THRESHOLD(double, kAsGoodAsGone, 0.001);
// Share of an edge's waits in calls that are gone. From here on the edge is gone.
GORDIAN_THRESHOLD(double, kNearlyAllWaits, 0.9);

// Times. Fewer wakes of a vertex tell nothing of what one costs.
GORDIAN_THRESHOLD(uint64_t, kFewestWakes, 100);
// Share of the CPU time that sleeping and waking cost that may be saved: no thread works for
// nothing.
GORDIAN_THRESHOLD(double, kMostSaved, 0.95);

// Functions of the program that are there for the removed waits (waiting_functions.h). Shares of
// the time in a function that are such waits, or waits for a thread that does them …
// Breaks when moved by 30 %: WhereOthersWaitForTheWaitIsOnItsWayEvenIfAllIsAround.
GORDIAN_THRESHOLD(double, kAboutRemovedWaits, 0.4);
// … if they are for threads: a thread's work under a lock is often in the function that takes it.
GORDIAN_THRESHOLD(double, kAboutRemovedThreads, 0.75);
// Share of all that the thread runs. A function with more is the thread's work itself.
// Breaks when moved by 30 %: WhereOthersWaitForTheWaitIsOnItsWayEvenIfAllIsAround.
GORDIAN_THRESHOLD(double, kNotAllItRuns, 0.8);
// Shares of the function's waits: the removed ones, and these with the waits for the threads that
// do them.
GORDIAN_THRESHOLD(double, kPartOfWaits, 0.1);
// Breaks when moved by 30 %: FunctionThatHardlyEverWakesThoseWhoWaitElsewhereIsThereForTheWait.
GORDIAN_THRESHOLD(double, kMostOfWaits, 0.75);
// Share of a function's waits. A function in another that has so much of them has the same.
// Breaks when moved by 30 %: WhereOthersWaitForTheWaitIsOnItsWayEvenIfAllIsAround.
GORDIAN_THRESHOLD(double, kTheSameWaits, 0.95);

}  // namespace gordian
