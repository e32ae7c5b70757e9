// SPDX-License-Identifier: Apache-2.0
// Off-CPU time as folded stacks, for flame graph tools, each with the microseconds that the thread
// itself waited (the edge's own part; the cascaded part would count an instant once for every
// waiter):
//
//   process;thread;main;Serve;fsync;[waits for vda] 1234567
//
// Of waits without a stack only the waiter and the waker: process;thread;waits for vda 1234567
#pragma once

#include <span>
#include <string>

#include "report/weighted_stacks.h"

namespace gordian {

std::string FoldedWaits(std::span<const WeightedStack> stacks, const Code& code);

}  // namespace gordian
