// SPDX-License-Identifier: Apache-2.0
// Since when a thread has been at its work.
#pragma once

#include <cstdint>

#include "causes/causes.h"

namespace gordian {

// Back over its waits until one that may have brought it other work: one for events of any kind, or
// one of which nothing is known (WaitSenses). `unknown_waits` of the latter are passed over first:
// a line is mostly about the last wait before it, whatever that was for. A wait that time ended,
// though another thread usually ends it, brought no work. Not before earliest_ns.
uint64_t WorkBegin(const ExecutionGraph& graph, EntityId thread, uint64_t at_ns,
                   uint64_t earliest_ns, int unknown_waits);

}  // namespace gordian
