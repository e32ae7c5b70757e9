// SPDX-License-Identifier: Apache-2.0
// Whether the target's own work fills the CPUs. Then no shorter wait makes it faster.
#pragma once

#include "analyzer/findings/evidence/evidence.h"
#include "analyzer/findings/evidence/limit.h"

namespace gordian {

// Hardly any CPU time is left by the target, by those of the limit, and by clients that ask it.
// What recording took counts for nobody.
bool WorkFillsTheCpus(const Evidence& evidence, const Limit& limit);

// The waits of a circle cost no CPU time to speak of. Many short ones cost most of it: then the
// waits are what fills the CPUs.
bool WaitsCostNoCpu(const Evidence& evidence, const Limit& circle);

}  // namespace gordian
