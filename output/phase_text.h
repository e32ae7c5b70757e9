// SPDX-License-Identifier: Apache-2.0
// The phases of a job as a listing: types with their sums, and the tree itself.
#pragma once

#include <string>
#include <vector>

#include "jobs/phases/read_job.h"

namespace gordian {

// The sums of all phases of a type.
struct PhaseTypeSummary {
  PhaseTypeId type = 0;
  uint64_t count = 0;
  uint64_t total_ns = 0;
  uint64_t blocked_ns = 0;  // of it, in any blocking resource of its own
  PhaseId longest = kNoId;  // one of them; the first of equals
  uint64_t ends_assumed = 0;
};

// Types that occur, parents before their children, siblings in the order of the model.
std::vector<PhaseTypeSummary> SummarizeTypes(const Job& job);

struct PhaseListingOptions {
  bool tree = false;  // every phase, too
};

std::string PhaseText(const JobReading& reading, const PhaseListingOptions& options);
// One line for each counter that is not zero, with its meaning and examples; for stderr.
std::string CounterText(const std::vector<TalliedCounter>& counters);

}  // namespace gordian
