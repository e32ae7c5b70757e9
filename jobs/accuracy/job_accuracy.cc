// SPDX-License-Identifier: Apache-2.0
#include "jobs/accuracy/job_accuracy.h"

#include <utility>

#include "jobs/report/measured_input.h"

namespace gordian {

std::vector<AccuracyStudy> StudyJob(const Job& job, uint64_t slice_ns, const Timeline* timeline,
                                    int threads) {
  AccuracyOptions options;
  options.slice_ns = slice_ns;
  std::vector<AccuracyStudy> studies;
  const auto add = [&](absl::StatusOr<AccuracyTable> table, bool against_records,
                       bool by_phases_only) {
    if (table.ok()) studies.push_back({*std::move(table), against_records, by_phases_only});
  };
  if (timeline != nullptr) {
    for (const MeasuredUse& measured : MeasureJob(*timeline, job, slice_ns, threads)) {
      for (const bool by_phases_only : {true, false}) {
        const auto truth = SamplesOf(job, measured, slice_ns, by_phases_only);
        add(StudyAccuracyAgainst(job, measured.resource, truth, options), true, by_phases_only);
      }
    }
  }
  for (ResourceId id = 0; id < job.resources.size(); ++id)
    add(StudyAccuracy(job, id, options), false, false);
  return studies;
}

}  // namespace gordian
