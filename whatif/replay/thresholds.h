// SPDX-License-Identifier: Apache-2.0
// The numbers that shape readings and intervals (base/threshold.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/threshold.h"

namespace gordian {

// Events of progress. Fewer are no rate: chance would tell it.
GORDIAN_THRESHOLD(size_t, kFewestMarks, 10);
// Shares of the progress. Events before and after do not count: beginnings and ends are not steady.
GORDIAN_THRESHOLD(double, kFirstMarkShare, 0.02);
// Breaks when moved by 30 %: ShorterHoldOfALockCountsUntilThinkingBinds,
// StaysAtItsAsymptoticBounds/0, StaysAtItsAsymptoticBounds/1.
GORDIAN_THRESHOLD(double, kLastMarkShare, 0.98);

// Pauses keep pace with the gain that they bring about. So many replays at most find it …
GORDIAN_THRESHOLD(int, kMostRounds, 6);
// … and fewer if the gain moves by no more than this share.
GORDIAN_THRESHOLD(double, kSameGain, 0.01);
// Difference between shares of CPU time. Paths that differ by less need no reading of their own.
GORDIAN_THRESHOLD(double, kSamePath, 0.01);
// Nanoseconds. So late do a kernel's timers end the sleeps of ordinary threads.
GORDIAN_THRESHOLD(uint64_t, kTimerSlackNs, 50'000);

// Of Student's distribution for eight parts: one of twenty lies beyond.
GORDIAN_THRESHOLD(double, kStudent, 2.36);
// A gain that varies by more has no interval worth telling.
GORDIAN_THRESHOLD(double, kMostChance, 1);
// Share of the time. A thread, disk or the CPUs that are busy for so long are the next limit.
// Breaks when moved by 30 %: AreLimitedByTheThreadThatBringsThem,
// AsynchronousSyncStillNeedsTheDisk, NobodyOutrunsThoseItHandsOnTo.
GORDIAN_THRESHOLD(double, kBusyAsLimit, 0.8);

// Share of the recorded rate by which an unchanged replay may miss it before other programs are
// seen otherwise …
GORDIAN_THRESHOLD(double, kSmallMiss, 0.05);
// … and how much nearer another way to see them must come to count.
GORDIAN_THRESHOLD(double, kClearlyNearer, 0.02);

}  // namespace gordian
