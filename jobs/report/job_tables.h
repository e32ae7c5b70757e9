// SPDX-License-Identifier: Apache-2.0
// The tables of a report that tell of phases and resources: plain conversion. Inner to the library.
#pragma once

#include "jobs/report/job_report.h"

namespace gordian {

// Fills all of the report's fields on phases, except issues and findings.
void AddJobTables(const JobAnalysis& analysis, const JobRecording& recording, pb::Report& report);

}  // namespace gordian
