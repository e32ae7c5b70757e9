// SPDX-License-Identifier: Apache-2.0
// Matches a disk's completions with their issues.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/functional/function_ref.h"
#include "analyzer/devices/devices.h"
#include "analyzer/timeline/timeline.h"

namespace gordian {

struct DiskTimes {
  // In order, not touching.
  std::vector<Stretch> busy;     // a request or more in flight
  std::vector<Stretch> several;  // several in flight, or several threads waiting for the disk
  // Requests of which the issue or the completion was not seen although it happened in the
  // recording.
  uint64_t requests_without_end = 0;
};

// When a thread that waited for a disk since it issued a request went on; UINT64_MAX if it did not
// wait for it.
using GoesOn = absl::FunctionRef<uint64_t(EntityId thread, uint64_t issue_ns)>;

// The times in which at least `depth` of the stretches overlap; in order, not touching.
// What is noted of each lies in `notes`.
std::vector<Stretch> Overlapping(std::span<const Stretch> stretches, int depth,
                                 const ColumnMemory& notes = {});

// `records` are one disk's, in order of time. `disk_waits` are the waits of single threads for it.
// A request in flight when the recording paused is only known to be until then.
DiskTimes BusyTimes(std::span<const BlockRecord> records, std::span<const Stretch> disk_waits,
                    const Pauses& pauses, uint64_t start_ns, uint64_t end_ns, GoesOn goes_on,
                    const ColumnMemory& notes = {});

}  // namespace gordian
