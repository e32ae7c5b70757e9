// Changes that need other steps than the recorded ones.
#pragma once

#include <span>
#include <vector>

#include "whatif/replay.h"
#include "whatif/score.h"
#include "whatif/split_lock.h"

namespace gordian {

// Locks that are split, threads that are added, false wakeups that are gone, and disk waits that
// others do, who also spend the CPU time that `paths` takes from those who did.
Score ChangedScore(const Score& score, const Changes& changes, std::span<const Path> paths,
                   UnseenHolds unseen_holds, std::span<const uint32_t> vertex_of_entity);

// With nothing changed, but seen in the same way: locks as locks, pools as pools.
Score UnchangedScore(const Score& score, const Changes& changes, UnseenHolds unseen_holds,
                     std::span<const uint32_t> vertex_of_entity);

}  // namespace gordian
