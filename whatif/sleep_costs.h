// From stacks: what it costs to sleep and to be woken, and who waits in loops for events of any
// kind.
#pragma once

#include <vector>

#include "analyzer/stacks/stacks.h"
#include "whatif/replay.h"

namespace gordian {

// Two for each vertex with samples of its runs. The calls are system calls of a kind, whoever
// makes them.
std::vector<SleepCost> SleepCosts(const StackSums& stacks, const Code& code);

// For each edge with samples of its waits.
std::vector<LoopShare> LoopShares(const StackSums& stacks, const Code& code);

}  // namespace gordian
