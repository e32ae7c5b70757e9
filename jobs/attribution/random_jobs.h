// SPDX-License-Identifier: Apache-2.0
// Small random jobs for property tests: trees of phases, some of them odd, rules of all kinds,
// blocked intervals, samples.
#pragma once

#include "jobs/job/job.h"

namespace gordian {

struct RandomJobOptions {
  bool odd = true;  // phases outside of their parents, that end before they start, that overlap on
                    // a thread; samples with gaps, beside the timeslices and outside of the job
};

// To be called within a rapidcheck property. Timeslices are meant to last 10 ms.
Job RandomJob(const RandomJobOptions& options);

// The same job with its phases in another order (parents still before children), and where each
// phase went.
struct Reordered {
  Job job;
  std::vector<PhaseId> new_id;
};
Reordered Reorder(const Job& job);

}  // namespace gordian
