// SPDX-License-Identifier: Apache-2.0
// A server that starts a process for each connection or request looks like a job: its processes
// live for milliseconds. But they run their parent's program, and talk with programs that are no
// part of the job: nobody waits for the last of them. Inner to the library.
#pragma once

#include <cstdint>

#include "path/job.h"
#include "path/processes.h"

namespace gordian {

struct ServedOutsiders {
  // Short-lived, without a program of their own, in families of which outsiders wake some, or wait
  // for them.
  uint64_t processes = 0;
  uint64_t busy_ns = 0;           // theirs, on CPUs and disks
  ProcessId parent = kNoProcess;  // of most of them
};

// Time: O(E) of E segments, if there are such processes at all.
ServedOutsiders FindServed(const Timeline& timeline, const JobProcesses& processes,
                           const PathJob& job);

}  // namespace gordian
