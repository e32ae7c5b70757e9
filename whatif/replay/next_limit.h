// What limits a replay: who or what is busy all the time, or what its progress waits for.
#pragma once

#include <span>

#include "whatif/replay/replay.h"

namespace gordian {

// The busiest of the CPUs together, a single thread and a disk, if it is busy for most of the time;
// else what the threads that make the progress spend most of their time on.
Limiter FindNextLimit(const Score& score, const Outcome& outcome, const ReplayOptions& options,
                      const Timeline& timeline, std::span<const uint32_t> vertex_of_entity);

}  // namespace gordian
