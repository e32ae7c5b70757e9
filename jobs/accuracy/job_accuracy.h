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
};

// With a recording, first of the measured resources; then of each resource with samples. `timeline`
// is null without a recording.
std::vector<AccuracyStudy> StudyJob(const Job& job, uint64_t slice_ns, const Timeline* timeline,
                                    int threads = 0);

}  // namespace gordian
