// SPDX-License-Identifier: Apache-2.0
// The threads that had the CPUs while the members of a starvation finding were ready to run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/waits/waits.h"
#include "report/time_range.h"
#include "schema/report.pb.h"

namespace gordian {

// Fills cpu_users of the report's findings of starvation, and tells the largest three of them in
// the first sentence of `why`. The CPU on which a thread was ready is not recorded: all CPUs count.
// If most of the time a CPU was free meanwhile, advice says what may keep the members from it, and
// the title names their CPUs if they never ran on others. If they ran on all, the finding is a
// guess: the kernel moves a thread that only lacks a CPU to a free one. If no CPU was free, the
// title names who filled them.
void AddCpuUsers(const Waits& waits, const std::vector<uint32_t>& vertex_of_entity, uint32_t cpus,
                 const TimeRange& range, int threads, pb::Report& report);

// "Meanwhile the CPUs ran …", of a finding's cpu_users; empty without them.
std::string CpuUsersSentence(const pb::Finding& finding);

}  // namespace gordian
