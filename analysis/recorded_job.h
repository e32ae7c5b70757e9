// SPDX-License-Identifier: Apache-2.0
// A job's phases: from the named inputs (logs, a model, a recording) to the job, and its facts that
// need no analysis of the recording.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "jobs/accuracy/job_accuracy.h"
#include "jobs/job/thresholds.h"
#include "jobs/phases/read_job.h"
#include "jobs/report/job_report.h"

namespace gordian {

struct JobRequest {
  JobInputs inputs;              // without the model, which is read when it is needed
  std::string model = "probes";  // a ready one's name, or a file
  // Several jobs that shared the machines, each "MODEL=LOG[,LOG…]", or "MODEL" where a session's
  // probes tell of it. Instead of `model` and the inputs' logs.
  std::vector<std::string> jobs;
  double slice_ms = kTimesliceNs / 1e6;
  JobOptions options;  // its thresholds; of attribution, all else comes from elsewhere

  uint64_t slice_ns() const { return static_cast<uint64_t>(slice_ms * 1e6); }
};

// Reads the model, then the logs; of several jobs those of each. `nodes`: as in JobInputs.
absl::StatusOr<JobReading> ReadJobOf(const JobRequest& request,
                                     const std::vector<JobSession>& nodes = {});

// The same with the nodes that the request's recording holds. A recording of many nodes is read as
// a whole, as only that tells how their clocks go.
absl::StatusOr<JobReading> ReadRecordedJob(const JobRequest& request, int threads = 0);

// How far upsampling can be trusted for this job. A recording must be one node's.
struct StudiedJob {
  Job job;
  std::vector<AccuracyStudy> studies;
};
absl::StatusOr<StudiedJob> StudyRecordedJob(const JobRequest& request, int threads = 0);

}  // namespace gordian
