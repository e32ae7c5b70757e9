// Matches a disk's completions with their issues.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/devices/devices.h"
#include "analyzer/timeline/timeline.h"

namespace gordian {

struct DiskTimes {
  std::vector<Stretch> busy;  // in order, not touching
  uint64_t requests_without_end = 0;
};

// `records` are one disk's, in order of time.
// A request in flight when the recording paused is only known to be until then.
DiskTimes BusyTimes(std::span<const BlockRecord> records, const Pauses& pauses, uint64_t start_ns,
                    uint64_t end_ns);

}  // namespace gordian
