// SPDX-License-Identifier: Apache-2.0
// Issues as findings beside the knots. Inner to the library.
#pragma once

#include "jobs/report/job_report.h"

namespace gordian {

void AddIssueFindings(const JobAnalysis& analysis, const JobRecording& recording,
                      pb::Report& report);

}  // namespace gordian
