// SPDX-License-Identifier: Apache-2.0
// Readings of more requests under way at a time.
#pragma once

#include <span>

#include "whatif/replay/replay.h"
#include "whatif/replay/timed_replays.h"

namespace gordian {

// Sets the result's readings and paths for the one change of options.changes.more_at_once. Alone:
// only the scheduler's part is saved. At most: whole calls are saved, and a thread that finds
// several requests answers them together.
void ReadMoreAtOnce(std::span<const uint32_t> vertex_of_entity, const ReplayOptions& options,
                    TimedReplays& replays, ReplayResult& result);

}  // namespace gordian
