// SPDX-License-Identifier: Apache-2.0
// Starvation whose reason is a CPU quota: the threads are ready to run, and their cgroup may not
// use more CPU time until its next period begins.
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

struct CpuQuota {
  uint32_t node = 0;
  std::string cgroup;  // its path
  double cpus = 0;
  double throttled_ns = 0;     // added up over CPUs
  std::vector<uint32_t> pids;  // in order, each once
};

// The quotas that were used up, by the samples of a node.
std::vector<CpuQuota> QuotasOf(std::span<const ResourceReading> readings, uint32_t node);

// Of each finding of starvation: if most of its threads' time without a CPU is that of processes
// under one of these quotas, and the quota was used up for a good part of it, then title, reasons
// and advice say so. Quotas are of the whole recording, so shares of `range` are compared.
void TellCpuQuotas(const Waits& waits, const std::vector<uint32_t>& vertex_of_entity,
                   const TimeRange& range, std::span<const CpuQuota> quotas, pb::Report& report);

}  // namespace gordian
