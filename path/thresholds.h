// SPDX-License-Identifier: Apache-2.0
// The numbers that shape what is said of a job (base/threshold.h says how to read and move these).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/threshold.h"

namespace gordian {

// Share of the job's time that a short-lived command lives at most. One that lives longer, and is
// no part of a row of its kind, is seen for long enough to be judged by its waits.
GORDIAN_THRESHOLD(double, kShortCommand, 0.5);

// Times as many commands of a program in all as ever lived at once: then they follow each other,
// and a long one among them is a straggler, no server.
GORDIAN_THRESHOLD(double, kCommandsInARow, 2);

// Share of the target's time on CPUs and disks. Servers have 0 to 1 % of it in short-lived
// commands, jobs 53 to 100 %.
GORDIAN_THRESHOLD(double, kIsAJob, 0.5);

// Share of the same. With less it is no job, not even in part, and its path says nothing.
GORDIAN_THRESHOLD(double, kPartlyAJob, 0.05);

// Parts of a window in each of which a walk begins. With fewer, one moment's chance decides.
GORDIAN_THRESHOLD(size_t, kPathPieces, 16);

// Share of a process' children without a program of their own. If so many talk with programs
// outside of the job, all serve these. With more, a server whose clients are busy would be a job;
// with less, a job of which some log to a daemon would be a server.
GORDIAN_THRESHOLD(double, kTalkForAll, 0.2);

// Nanoseconds on CPUs and disks. Starting and ending a process takes 0.3 to 2 ms of them: one that
// needs less than this spends a good part of it on that. With more, programs that do something
// would count; with less, a slow machine's starts would not.
GORDIAN_THRESHOLD(uint64_t, kBriefNs, 5'000'000);

// Share of the job's time on CPUs and disks. If brief processes do so much, that they are started
// is told before what they wait for.
GORDIAN_THRESHOLD(double, kMostlyBrief, 0.5);

// Share of the path. A smaller loss gains too little to be told before "the machine is full".
GORDIAN_THRESHOLD(double, kGoodShare, 0.2);

}  // namespace gordian
