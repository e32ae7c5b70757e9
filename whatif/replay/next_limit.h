// SPDX-License-Identifier: Apache-2.0
// The limit of a replay: a thread, disk or the CPUs that are busy all the time, or the wait of its
// progress.
#pragma once

#include <span>

#include "whatif/replay/replay.h"

namespace gordian {

// The busiest of the CPUs of a node together, a single thread and a disk, if it is busy for most of
// the time. Otherwise the largest share of the time of the threads that make the progress.
Limiter FindNextLimit(const Score& score, const PlayOutcome& outcome, const ReplayOptions& options,
                      std::span<const uint32_t> vertex_of_entity);

}  // namespace gordian
