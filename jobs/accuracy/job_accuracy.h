// SPDX-License-Identifier: Apache-2.0
// How far upsampling can be trusted for each resource of a job.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/timeline/timeline.h"
#include "jobs/accuracy/accuracy.h"
#include "jobs/job/job.h"

namespace gordian {

struct AccuracyStudy {
  AccuracyTable table;
  bool against_records = false;  // the truth is the recording's measurement; else its own samples
  bool by_phases_only = false;   // of the measurement, what the phases used themselves
};

// With a recording, first of the measured resources: what the phases used of each, as coarse
// samples of the job alone would tell it, and the use of the machine, with other programs. Then of
// each resource with samples. `timeline` is null without a recording.
std::vector<AccuracyStudy> StudyJob(const Job& job, uint64_t slice_ns, const Timeline* timeline,
                                    int threads = 0);

}  // namespace gordian
