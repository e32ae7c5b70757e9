// SPDX-License-Identifier: Apache-2.0
// Accept queues that are full: clients wait before a program, or are turned away, as its threads do
// not get to accept them.
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

struct FullQueue {
  uint32_t node = 0;
  std::string socket;  // its address and port
  double backlog = 0;
  double full_share = 0;       // of the samples
  double turned_away = 0;      // connections that met a full queue, of any socket of the node
  std::vector<uint32_t> pids;  // the owners, in order
};

// Those that were full at least for half of the readings that ended within `range`.
std::vector<FullQueue> FullQueuesOf(std::span<const ResourceReading> readings, uint32_t node,
                                    const TimeRange& range);

// Tells a full queue in each finding whose members are mostly threads of its owners.
void TellFullQueues(const Waits& waits, const std::vector<uint32_t>& vertex_of_entity,
                    const TimeRange& range, std::span<const FullQueue> queues, pb::Report& report);

}  // namespace gordian
