// SPDX-License-Identifier: Apache-2.0
// A whole timeline as a trace for the Perfetto UI.
#pragma once

#include "analyzer/timeline/timeline.h"
#include "output/perfetto_trace.h"
#include "report/time_range.h"
#include "schema/report.pb.h"

namespace gordian {

// A track for every thread that lived within the range, and for every device that woke a thread.
void WritePerfettoTimeline(const Timeline& timeline, const pb::Report& report,
                           const TimeRange& range, PerfettoTrace& trace);

}  // namespace gordian
