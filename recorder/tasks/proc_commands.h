// SPDX-License-Identifier: Apache-2.0
// Command lines and working directories of processes that live when a recording begins. The exec
// hook tells those of later programs.
#pragma once

#include <cstdint>
#include <vector>

#include "recorder/sources/system_paths.h"
#include "trace/trace_event.h"

namespace gordian {

// Fills them in for the first thread of each process, for at most so long altogether. Processes
// that end meanwhile, kernel threads, and what cannot be read stay without. Returns how many were
// left out for want of time.
uint64_t ReadCommands(const SystemPaths& paths, uint64_t most_ns, std::vector<TaskRecord>& tasks);

}  // namespace gordian
