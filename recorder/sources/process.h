// SPDX-License-Identifier: Apache-2.0
// A process as /proc shows it. Nothing in it is trusted: names may hold any byte, processes end
// while they are read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "recorder/sources/system_paths.h"

namespace gordian {

struct ProcessStat {
  int32_t pid = 0;
  int32_t parent_pid = 0;
  char state = '?';  // R, S, D, Z, …
  uint64_t start_time_ticks =
      0;             // clock ticks since boot: with pid, tells two lives of one pid apart
  std::string comm;  // at most 15 bytes, any but zero
};

// The clock tick of the start, in nanoseconds since boot (CLOCK_BOOTTIME): when that tick began.
uint64_t StartTimeNs(const ProcessStat& process);
uint64_t ClockTickNs();

// NotFound (with a line for the user) if there is no such process.
absl::StatusOr<ProcessStat> ReadProcessStat(const SystemPaths& paths, int32_t pid);

bool ProcessExists(const SystemPaths& paths, int32_t pid);

// The arguments, at most max_bytes of them together; empty for kernel threads and for ended
// processes.
std::vector<std::string> ReadCommandLine(const SystemPaths& paths, int32_t pid,
                                         size_t max_bytes = 4096);

// Every process now, in no particular order. Those that end meanwhile are left out.
std::vector<ProcessStat> ReadAllProcesses(const SystemPaths& paths);

// All descendants of `pid`, itself not included, parents before children. A process forked during
// the look may be missing: a caller that needs all of them watches for new processes first and
// calls this then.
std::vector<int32_t> ReadDescendants(const SystemPaths& paths, int32_t pid);

}  // namespace gordian
