// SPDX-License-Identifier: Apache-2.0
// Whom a thread waited for in vain. Inner to blame_walk.
#pragma once

#include <cstdint>

#include "analyzer/timeline/timeline.h"

namespace gordian {

// The thread that ended that wait: the sender, if a message did. kNobody: no thread did.
EntityId WakerOfWait(const Timeline& timeline, EntityId thread, const ThreadSegment& wait,
                     uint64_t end_ns);

// Of a wait that only time ended: a thread, or the interface through which the answer would come.
EntityId AwaitedInVain(const Timeline& timeline, EntityId thread, uint64_t wait_start_ns);

}  // namespace gordian
