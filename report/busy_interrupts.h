// SPDX-License-Identifier: Apache-2.0
// Work and starvation whose reason is a CPU that is busy with interrupts: the threads run on it, or
// are ready to, and get what the interrupts leave.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "analyzer/waits/waits.h"
#include "report/time_range.h"
#include "schema/report.pb.h"
#include "trace/resource_readings.h"

namespace gordian {

struct InterruptLoad {
  uint32_t node = 0;
  uint32_t cpu = 0;
  double share = 0;                       // of the CPU's time
  std::map<std::string, double> vectors;  // "softirq net_rx" → its share of the CPU's time
};

// Of each CPU with interrupts, by the readings of a node that ended within `range`.
std::vector<InterruptLoad> InterruptLoadsOf(std::span<const ResourceReading> readings,
                                            uint32_t node, const TimeRange& range);

// Tells a load as a reason of findings of work and of starvation whose threads ran, or were ready,
// mostly on that CPU. Network softirqs do not count where those threads sent many of the packets
// there: over loopback and between containers a packet is received in its sender's own time.
void TellInterrupts(const Waits& waits, const std::vector<uint32_t>& vertex_of_entity,
                    const TimeRange& range, std::span<const InterruptLoad> loads,
                    pb::Report& report);

}  // namespace gordian
