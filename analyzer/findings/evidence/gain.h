// SPDX-License-Identifier: Apache-2.0
// How much faster the program could be at most if a limit were gone: throughput afterwards over
// throughput before, at least 1.
//
// A waiter that waits for a share s of its time is at most 1 / (1 - s) times as fast without that
// wait. Nothing gets faster than the next limit allows. A thread or device that is busy for a share
// b of the time can do 1 / b times as much. All CPUs together can do cpus / (CPU time of the
// target) times as much. Own waits only: cascaded weights count all threads behind and say nothing
// about gains.
#pragma once

#include "analyzer/findings/evidence/case.h"

namespace gordian {

// Of a wait, for which the limit's cost stands.
double BoundOfWait(const Case& it);
// The same where the wait is for a CPU: then the change is more CPUs.
double BoundOfWaitForCpus(const Case& it);
// Of the members' work, which may become less; without a next limit, it may at best be spread.
double BoundOfWork(const Case& it);

}  // namespace gordian
