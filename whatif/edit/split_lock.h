// SPDX-License-Identifier: Apache-2.0
// Waits for each other at a lock, seen as a lock that can be split.
#pragma once

#include <cstdint>
#include <span>

#include "whatif/edit/edit.h"

namespace gordian {

// Waits of `split.from` for `split.to` become attempts to get one of as many locks as the split has
// ways (1: as it was), and the wakes that ended them releases. A recording shows only the holds
// that another thread waited for. A thread that is woken but waits again at once never had the
// lock. Where a thread must have taken it or given it back unseen, the hold lasts as long as the
// median of those that are seen.
Score SplitLock(const Score& score, const LockSplit& split,
                std::span<const uint32_t> vertex_of_entity);

}  // namespace gordian
