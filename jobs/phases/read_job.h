// SPDX-License-Identifier: Apache-2.0
// From a model with logs, or a session, or both, to the job they tell of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "jobs/job/job.h"
#include "jobs/models/phase_model.h"
#include "jobs/sources/job_clock.h"
#include "jobs/sources/log_reader.h"
#include "jobs/tree/tally.h"
#include "trace/resource_readings.h"

namespace gordian {

// One node's part of a recording of many.
struct JobSession {
  std::string node;  // its name; logs may also call it by its hostname
  std::string directory;
  ClockOfJob to_job;
};

struct JobInputs {
  PhaseModel model;
  std::string session_directory;            // empty: a job without a recording
  std::vector<JobSession> nodes;            // the contents of that folder, if it is that of many
                                            // nodes; first the node whose wall clock the logs use
  std::vector<std::string> logs;            // files; "-" is standard input
  std::vector<std::string> resource_files;  // CSV, beside the session's own samples
  std::string zone;                         // of the logs' times; empty: the model's
  ToldCapacities capacities;                // of the recordings' resources
  LogThresholds thresholds;
};

struct JobReading {
  Job job;
  // Input that does not fit, by name (trace/counters.h), with examples.
  std::vector<TalliedCounter> counters;
  uint64_t log_lines = 0;
};

// InvalidArgument with a line for the user if the inputs do not fit together. Errors within them
// are counted, unless no phase is left: a job without any phase is an error.
absl::StatusOr<JobReading> ReadJob(const JobInputs& inputs);

}  // namespace gordian
