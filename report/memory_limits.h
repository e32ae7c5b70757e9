// SPDX-License-Identifier: Apache-2.0
// Waits whose reason is a memory limit, of a cgroup or of the machine: the threads wait for a disk,
// since what they had read was dropped, or for the kernel, which looks for memory to free.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analyzer/waits/waits.h"
#include "report/time_range.h"
#include "schema/report.pb.h"
#include "trace/resource_readings.h"

namespace gordian {

struct MemoryShortage {
  uint32_t node = 0;
  std::string cgroup;  // its path; "/": the whole machine
  double limit_bytes = 0;
  double times = 0;  // that it met the limit
  double read_again_bytes = 0;
  double disk_read_bytes = 0;  // by all of the node
  std::vector<uint32_t> pids;  // in order; of the machine none are listed
};

// The limits that were met, by the readings of a node that ended within `range`.
std::vector<MemoryShortage> ShortagesOf(std::span<const ResourceReading> readings, uint32_t node,
                                        const TimeRange& range);

// Tells a shortage as the reason of a finding if most of the waiting is that of processes under the
// limit, and if either
// - they wait for a disk, and at least half of what disks read had been dropped before (of the
//   machine's memory: nearly all), or
// - most of the finding's waits are for memory, by the kernel's functions.
// Edges must have their reasons.
void TellMemoryLimits(const Waits& waits, const std::vector<uint32_t>& vertex_of_entity,
                      const TimeRange& range, std::span<const MemoryShortage> shortages,
                      pb::Report& report);

}  // namespace gordian
