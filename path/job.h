// SPDX-License-Identifier: Apache-2.0
// Which processes are the job, and how much of its work short-lived ones do. Inner to the library.
#pragma once

#include <cstdint>
#include <vector>

#include "path/job_path.h"
#include "path/processes.h"

namespace gordian {

struct PathJob {
  ProcessId root =
      kNoProcess;  // kNoProcess: the targets have no common ancestor that is of the job
  std::vector<uint8_t> members;  // by process
  uint64_t from_ns = 0;          // the root's life as itself, within the range
  uint64_t to_ns = 0;
  bool is_whole = false;  // the root's end was seen
  // Time on CPUs and waiting for disks, of all members; 0 if short-lived commands have none, unless
  // whatever_it_is.
  uint64_t busy_ns = 0;
  uint64_t short_lived_ns = 0;    // of it that of short-lived commands
  uint64_t short_lived_runs = 0;  // commands of these
};

// Without a name for the target: the smallest process that lives long and begot most of the work of
// short-lived commands, if that is more work than the target's.
PathJob FindJob(const Timeline& timeline, const JobProcesses& processes,
                const JobPathOptions& options);

// The time that a thread ran or waited for a disk in [from_ns, to_ns).
uint64_t BusyNs(const Timeline& timeline, EntityId thread, uint64_t from_ns, uint64_t to_ns);

inline bool IsDiskWait(const ThreadSegment& segment) {
  return segment.kind == SegmentKind::kWait && segment.cause == WaitCause::kDisk &&
         segment.open_end == 0;
}

}  // namespace gordian
