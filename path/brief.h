// SPDX-License-Identifier: Apache-2.0
// Processes of a job that need hardly more than it takes to start one and to end it. Which of them
// waits for which matters less then than that there are so many. Inner to the library.
#pragma once

#include "path/job.h"
#include "path/job_path.h"
#include "path/processes.h"

namespace gordian {

// Time: O(E) of E segments of the job's short-lived processes.
BriefProcesses FindBrief(const Timeline& timeline, const JobProcesses& processes,
                         const PathJob& job);

}  // namespace gordian
