// What was imperfect, for a report: counted while the session was recorded, read and analyzed.
#pragma once

#include <cstdint>
#include <string_view>

#include "analyzer/model/model.h"
#include "analyzer/stacks/stacks.h"
#include "analyzer/timeline/timeline.h"
#include "schema/report.pb.h"

namespace gordian {

// Adds the recorder's counters and those of the reading, which knows better where both have one,
// and the graph's.
void AddCounters(const Timeline& timeline, const WaitForGraph& graph, pb::Report& report);
// Adds the stack samples that stand for nothing, to those that the reading counted.
void AddStackCounters(const StackSums& stacks, const Code& code, pb::Report& report);

// One more, or the value of one that is there already added up.
pb::ReportCounter& AddCounter(std::string_view name, uint64_t value, pb::Report& report);

}  // namespace gordian
