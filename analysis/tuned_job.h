// SPDX-License-Identifier: Apache-2.0
// A model's rules, fitted to a job: from the named inputs to the model as YAML.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analysis/recorded_job.h"
#include "jobs/tuning/tuned_model.h"

namespace gordian {

struct TunedJob {
  TunedModel tuned;
  std::vector<TalliedCounter> counters;  // of reading the job
};

// A recording must be one node's.
absl::StatusOr<TunedJob> TuneRecordedJob(const JobRequest& request, int threads = 0);

}  // namespace gordian
