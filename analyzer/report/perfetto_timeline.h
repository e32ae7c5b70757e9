// A whole timeline as a trace for the Perfetto UI.
#pragma once

#include "analyzer/report/perfetto_trace.h"
#include "analyzer/report/time_range.h"
#include "analyzer/timeline/timeline.h"
#include "proto/report.pb.h"

namespace gordian {

// A track for every thread that lived within the range, and for every device that woke somebody.
void WritePerfettoTimeline(const Timeline& timeline, const pb::Report& report,
                           const TimeRange& range, const PerfettoTrace::Sink& sink);

}  // namespace gordian
