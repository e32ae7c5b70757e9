// SPDX-License-Identifier: Apache-2.0
// A job's phases and the use of its resources as tracks for the Perfetto UI.
#pragma once

#include "analyzer/timeline/timeline.h"
#include "jobs/report/job_report.h"
#include "output/perfetto_trace.h"

namespace gordian {

// A track for each type of phase, or several where phases of a type run side by side. For each
// resource numbers over time: its use, the capacity if it is known, the exact demand and the weight
// of the others, and the use by each type of phase. `timeline`: of the recording whose time the
// job's is; null without one.
void WritePerfettoJob(const JobAnalysis& analysis, const Timeline* timeline, PerfettoTrace& trace);

}  // namespace gordian
