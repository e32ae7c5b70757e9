// SPDX-License-Identifier: Apache-2.0
// The numbers that shape a score (base/threshold.h).
#pragma once

#include <cstdint>

#include "base/threshold.h"

namespace gordian {

// Share of a vertex' life that it sleeps on timers. From here on it lives by the clock, and waits
// for it say nothing of work handed on.
GORDIAN_THRESHOLD(double, kLivesByClock, 0.5);
// Share of the waiter's life. Rarer waits are mere meetings: pauses, not hand-overs.
GORDIAN_THRESHOLD(double, kHandsOnWork, 0.02);
// The same if one of both lives by the clock: a poller hands on work all the same.
GORDIAN_THRESHOLD(double, kPollerHandsOnWork, 0.1);

// A pair may get ahead by one of so many of its hand-overs …
GORDIAN_THRESHOLD(uint32_t, kHandOversPerLead, 50);
// … and by so many at most. In the long run both go at the same rate, for any value.
GORDIAN_THRESHOLD(uint32_t, kMostLead, 16);
// A queue that a change puts between two threads holds one of so many of their hand-overs …
GORDIAN_THRESHOLD(uint32_t, kHandOversPerQueue, 10);
// … and so many at most: queues of programs are rarely longer.
GORDIAN_THRESHOLD(uint32_t, kLongestQueue, 128);

// Nanoseconds. A thread that waits no longer than this for a CPU, on average, was favoured by the
// scheduler: by its priority, or as it mostly sleeps.
GORDIAN_THRESHOLD(uint64_t, kPromptNs, 500'000);

// Completions that end together are few; a completion further back did not end this wait.
GORDIAN_THRESHOLD(int, kCompletionsLookedAt, 16);
// Share of a disk's busy time. More requests in flight than for this long were a single burst,
// which does not make a disk that works on everything at once.
GORDIAN_THRESHOLD(double, kBurst, 0.01);
// Share: waits of one program for another over those of the other for it, the fewer over the more.
// An answer may come in some pieces, each of which wakes its client, and a busy server does not
// wait for each request. Who hardly ever wakes the target reads what it writes by itself (a log's
// reader): without this, such output would count as answers.
GORDIAN_THRESHOLD(double, kTakesTurns, 0.2);
// Share of the life of a client's threads that they wait for the target. Who waits for less comes
// by its own clock (a monitor that asks fifty times a second): without this, such a rate, which
// nothing changes, would pass for the throughput of a program that computes.
GORDIAN_THRESHOLD(double, kLivesForTarget, 0.1);
// Marks of a stream. With fewer, an eighth of it has less than four: one more or less would be a
// quarter of its rate.
GORDIAN_THRESHOLD(size_t, kFewestOfStream, 32);
// Fewer ends of waits are no progress to count.
GORDIAN_THRESHOLD(size_t, kEnoughCycles, 50);
// A thread that hardly waits makes a mark for each of so many parts of the recording that it runs.
// Breaks when moved by 30 %: ProgressOfAThreadThatWaitsMoreThanItWorksIsItsWork,
// ThreadWithoutWaitsMakesProgressByRunning.
GORDIAN_THRESHOLD(uint64_t, kRunMarksOfRecording, 500);
// Share of the marks that alike threads make although others of them do the work. From here on the
// ends of waits do not measure the work: a thread that holds a lock for long hardly waits.
// Breaks when moved by 30 %: ProgressOfAThreadThatWaitsMoreThanItWorksIsItsWork,
// WhoDidLessSharesWhatIsLeftOfTheOthersWork.
GORDIAN_THRESHOLD(double, kMarksElsewhere, 0.2);

}  // namespace gordian
