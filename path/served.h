// SPDX-License-Identifier: Apache-2.0
// A server that starts a process for each connection or request looks like a job: its processes
// live for milliseconds. But they run their parent's program, and talk with programs that are no
// part of the job; or others run, and such programs ask their parent (CGI). Nobody waits for the
// last of them. Inner to the library.
#pragma once

#include <cstdint>
#include <span>

#include "path/job.h"
#include "path/processes.h"

namespace gordian {

struct ServedOutsiders {
  // Short-lived, in families without a program of their own of which outsiders wake some, or wait
  // for them; or begun by a process that outsiders ask.
  uint64_t processes = 0;
  uint64_t busy_ns = 0;           // theirs, on CPUs and disks
  ProcessId parent = kNoProcess;  // of most of them
};

// `questions` are those of the timeline. Time: O(E) of E segments, if there are such processes at
// all.
ServedOutsiders FindServed(const Timeline& timeline, std::span<const QuestionCount> questions,
                           const JobProcesses& processes, const PathJob& job);

}  // namespace gordian
