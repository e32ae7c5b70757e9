// SPDX-License-Identifier: Apache-2.0
// How much of the resources was used during some times of a job. Inner to the library.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "jobs/report/job_report.h"

namespace gordian {

struct ShareOfUse {
  std::string resource;     // type
  double share = 0;         // of the capacity of all its instances, 0 … 1
  bool of_capacity = true;  // else of the largest use seen, as no source tells the capacity
};

// Most first. Leaves out resources of which the use meanwhile is not known.
std::vector<ShareOfUse> UseDuring(const JobAnalysis& analysis, std::span<const Range> times_ns);

struct JobShare {
  PhaseId job = kNoId;  // kNoId: what belongs to no phase
  double share = 0;     // of all use of these resources meanwhile
};

// Of several jobs, most first; leaves out who used nothing.
std::vector<JobShare> SharesOfJobs(const JobAnalysis& analysis,
                                   std::span<const ResourceTypeId> resources,
                                   std::span<const Range> times_ns);

}  // namespace gordian
