// SPDX-License-Identifier: Apache-2.0
// A job's critical path (path/job_path.h) in a report.
#pragma once

#include "analyzer/graph/graph.h"
#include "analyzer/waits/waits.h"
#include "path/job_path.h"
#include "report/time_range.h"
#include "schema/report.pb.h"

namespace gordian {

// Fills report.path if short-lived processes do a part of the target's work. If they do most of it,
// a finding of kind path stands before all others. `report` is as Judge made it of `graph` and
// `merged`.
void AddJobPath(const Waits& waits, const WaitForGraph& graph, const MergedGraph& merged,
                const TimeRange& range, pb::Report& report);

// The message, without a finding.
pb::JobPath JobPathMessage(const Timeline& timeline, const JobPath& path);

// A thread that works for a part of a recording gives no steady rate, so its finding has no natural
// fix. But a job has an end, and its time is told: half of that work is asked about. AddJobPath
// does this.
void AskAboutPartsOfTheJob(pb::Report& report);

}  // namespace gordian
