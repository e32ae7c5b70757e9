// How much faster everything could be at most if a limit were gone.
#pragma once

#include "analyzer/findings/limit.h"
#include "analyzer/findings/measures.h"
#include "analyzer/findings/scope.h"
#include "analyzer/findings/target.h"

namespace gordian {

// Throughput afterwards over throughput before, at least 1. A waiter that waits for a share s of
// its time is at most 1 / (1 - s) times as fast without that wait; and nothing gets faster than the
// next one allows: a thread or device that is busy for a share b of the time can do 1 / b times as
// much, all CPUs together cpus / (CPU time of the target) as much. Own waits only: cascaded weights
// count everybody behind and say nothing about gains.
double UpperBoundGain(const Measures& measures, const Scope& scope, const Target& target,
                      const Limit& limit);

}  // namespace gordian
