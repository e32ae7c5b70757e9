// Judges what a backend recorded of the workload: against what must be true, and against another
// backend. Findings are lines for a person; no lines mean that all is well.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/guest/wait_causes.h"
#include "tests/guest/workload_report.h"

namespace gordian {

// A thread's waits by cause in words ("thread pong", "timer", "disk 254:0", "packet of client
// through 1"): roles stand for tids, which differ from run to run.
using CausesInWords = std::map<std::string, uint64_t>;
using CausesByRole = std::map<std::string, CausesInWords>;

CausesByRole DescribeCauses(const WaitCauses& causes, const WorkloadReport& report);

// Every thread must have waited as often as the kernel counted, each time for the cause the
// workload names.
std::vector<std::string> CheckAgainstWorkload(const CausesByRole& causes,
                                              const WorkloadReport& report);

// The same roles must have waited for the same causes. Counts are compared where they are the
// workload's choice: a disk may answer one fsync with one completion more or less.
std::vector<std::string> CompareCauses(const CausesByRole& one, const CausesByRole& other,
                                       const WorkloadReport& report);

}  // namespace gordian
