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

struct SampledQueue {
  uint32_t node = 0;
  std::string socket;  // its address and port
  double backlog = 0;
  double full_share = 0;       // of the samples
  double turned_away = 0;      // connections that met a full queue, of any socket of the node
  std::vector<uint32_t> pids;  // the owners, in order
};

// What the readings that ended within `range` tell of a node's accept queues.
struct SampledQueues {
  std::vector<SampledQueue> queues;
  double turned_away = 0;
};
SampledQueues AcceptQueuesOf(std::span<const ResourceReading> readings, uint32_t node,
                             const TimeRange& range);

// Those that were full in at least half of the samples.
std::vector<SampledQueue> MostlyFull(const SampledQueues& sampled);

// Tells a full queue in each finding whose members are mostly threads of its owners.
void TellFullQueues(const Waits& waits, const std::vector<uint32_t>& vertex_of_entity,
                    const TimeRange& range, std::span<const SampledQueue> queues,
                    pb::Report& report);

}  // namespace gordian
