// SPDX-License-Identifier: Apache-2.0
// Threads that /proc shows and the kernel's own list (bpf_iter) did not: some systems keep threads
// of theirs out of it, and kernels before 5.8 have no such list.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "recorder/sources/system_paths.h"
#include "trace/trace_event.h"

namespace gordian {

// A kAlive record for every thread that is not in `known` and surely began before `begun_before_ns`
// (CLOCK_BOOTTIME): later ones are told by the fork hook. /proc knows their start only to a clock
// tick, so start_time_ns stays 0: not known. One that began in the same tick is left out: it would
// mostly live twice, and it is told as soon as it calls exec, takes another name, or ends.
std::vector<TaskRecord> ReadTasksNotIn(const SystemPaths& paths,
                                       const std::unordered_set<int32_t>& known,
                                       uint64_t begun_before_ns);

}  // namespace gordian
