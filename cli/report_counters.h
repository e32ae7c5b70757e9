// What was counted while a session was recorded and read, for its report.
#pragma once

#include <cstdint>

#include <string_view>

#include "analyzer/timeline/timeline.h"
#include "schema/report.pb.h"

namespace gordian {

// Adds the recorder's counters and those of the reading, which knows better where both have one.
void AddCounters(const Timeline& timeline, uint64_t requests_without_end, pb::Report& report);

// One more, or the value of one that is there already added up.
pb::ReportCounter& AddCounter(std::string_view name, uint64_t value, pb::Report& report);

}  // namespace gordian
