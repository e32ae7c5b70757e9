// SPDX-License-Identifier: Apache-2.0
// The numbers that shape replays of requests (base/threshold.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/threshold.h"

namespace gordian {

// Fewer recorded requests do not hold the rare ones that the rate depends on.
GORDIAN_THRESHOLD(size_t, kFewestTokenRequests, 100);
// Share of the time with as many requests open as there ever are. Below it the arrivals are the
// limit, and a faster server is only idle for longer.
GORDIAN_THRESHOLD(double, kClosedLoopShare, 0.5);
// Share of the recorded rate, or of the recorded response time. With a greater miss the replay of
// threads may know better.
GORDIAN_THRESHOLD(double, kSureTokenMiss, 0.10);
// Share of the recorded rate, or of the recorded response time. An unchanged simulation that is
// further off lacks something that matters, and so would the changed one.
GORDIAN_THRESHOLD(double, kMostTokenMiss, 0.25);
// Requests of a simulation. Twice as many move a gain by less than a hundredth.
GORDIAN_THRESHOLD(uint64_t, kTokenRequestsPlayed, 8000);
// … of each part of the recording, whose gains only tell how far chance moves them.
GORDIAN_THRESHOLD(uint64_t, kTokenRequestsOfPart, 2000);
// CPU time that who runs gets before others do, as in replays of threads. Far shorter turns make
// requests meet in bursts that nothing dissolves.
GORDIAN_THRESHOLD(double, kTokenTurnNs, 1e6);
// Share of a simulation that is not counted: it begins with everybody idle.
GORDIAN_THRESHOLD(double, kTokenWarmUp, 0.1);
// Share of the response time in waits for locks. From here on a different number of requests at a
// time would wait otherwise, and locks are no stations here.
GORDIAN_THRESHOLD(double, kMostLockShare, 0.2);
// Share of the time from a question to the next one in which the client waits for what its server
// sends behind the answer. What the server does for that belongs to no request: from here on it is
// as much as the locks above.
GORDIAN_THRESHOLD(double, kMostServedOn, 0.2);
// Tokens. More would take memory and time for an answer that the next limit has told long before.
GORDIAN_THRESHOLD(uint32_t, kMostTokens, 10'000);
// Share of the CPUs that more requests at a time keep busy. From here on what batches save counts.
GORDIAN_THRESHOLD(double, kCpusNearlyFull, 0.7);
// Share of a node's CPUs. If other programs leave less, the gain is mostly theirs to decide.
GORDIAN_THRESHOLD(double, kLeastCpusLeft, 0.75);

}  // namespace gordian
