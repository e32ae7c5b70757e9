// SPDX-License-Identifier: Apache-2.0
// The losses and faults of a recording, for a report: counted while the session was recorded, read
// and analyzed.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "analyzer/model/model.h"
#include "analyzer/stacks/stacks.h"
#include "analyzer/timeline/timeline.h"
#include "schema/report.pb.h"

namespace gordian {

// Adds the counters of the recorder, of the reading and of the graph. If both recorder and reading
// have a counter, the reading's counts. The report has its findings already: counters that touch
// none of them are told as such.
void AddCounters(const Timeline& timeline, const WaitForGraph& graph,
                 std::span<const uint32_t> vertex_of_entity, pb::Report& report);
// Adds the stack samples that belong to no wait, to those that the reading counted.
void AddStackCounters(const StackSums& stacks, const Code& code, pb::Report& report);

// Adds a counter, or adds to the value of an existing one.
pb::ReportCounter& AddCounter(std::string_view name, uint64_t value, pb::Report& report);

}  // namespace gordian
