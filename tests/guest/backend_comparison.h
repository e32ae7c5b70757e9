// SPDX-License-Identifier: Apache-2.0
// Judges a backend's recording of the workload: against the known truth, and against another
// backend. Findings are lines for a person; no lines mean that all is well.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/guest/wait_causes.h"
#include "tests/guest/workload_report.h"

namespace gordian {

// Names of threads by tid, as the recording gives them.
using ThreadNames = std::map<int32_t, std::string>;

// A thread's waits by cause in words ("thread pong", "timer", "disk 254:0", "packet of client
// through 1"): roles stand for tids, which differ from run to run.
using CausesInWords = std::map<std::string, uint64_t>;
using CausesByRole = std::map<std::string, CausesInWords>;

CausesByRole DescribeCauses(const WaitCauses& causes, const ThreadNames& names,
                            const WorkloadReport& report);

// The kernel does not enter a program that an interrupt finds running on its CPU, and counts that:
// up to so many wakes may be missing. They count as the expected wakes.
void ForgiveUnseenWakes(uint64_t skipped_runs, const WorkloadReport& report, CausesByRole& causes);

// The name of every thread must be known.
std::vector<std::string> CheckNames(const ThreadNames& names, const WorkloadReport& report);

// Every thread must have waited as often as the kernel counted, each time for the cause the
// workload names. One exception is the kernel's own: under pressure it hands a packet to ksoftirqd,
// and then the packet's sender is not there at the wake. It must stay rare.
std::vector<std::string> CheckAgainstWorkload(const CausesByRole& causes,
                                              const WorkloadReport& report);

// The same roles must have waited for the same causes. Counts are compared if they are the
// workload's choice: a disk may answer one fsync with one completion more or less.
std::vector<std::string> CompareCauses(const CausesByRole& one, const CausesByRole& other,
                                       const WorkloadReport& report);

}  // namespace gordian
