// SPDX-License-Identifier: Apache-2.0
// Use and demand of a job's resources by phase and timeslice, as CSV (RFC 4180):
//
//   start_s,end_s,resource,node,unit,capacity,phase,use,exact_demand,weight,measured
//
// A row holds for each moment from start_s to end_s, counted from the job's start. Phases are told
// by themselves, without those within them, so the rows of one moment add up to the resource's use;
// an empty phase is use by no phase. Times in which a phase neither uses nor wants anything have no
// row. An empty capacity is not known. `measured` is 1 where records tell the use, 0 where it is an
// estimate.
#pragma once

#include "jobs/report/job_report.h"
#include "output/output_format.h"

namespace gordian {

void WriteAttributionCsv(const JobAnalysis& analysis, const OutputSink& sink);

}  // namespace gordian
