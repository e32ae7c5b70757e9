#include "jobs/accuracy/job_accuracy.h"

#include <utility>

#include "jobs/report/measured_input.h"

namespace gordian {

std::vector<AccuracyStudy> StudyJob(const Job& job, uint64_t slice_ns, const Timeline* timeline,
                                    int threads) {
  AccuracyOptions options;
  options.slice_ns = slice_ns;
  std::vector<AccuracyStudy> studies;
  const auto add = [&](absl::StatusOr<AccuracyTable> table, bool against_records) {
    if (table.ok()) studies.push_back({*std::move(table), against_records});
  };
  if (timeline != nullptr) {
    for (const MeasuredUse& measured : MeasureJob(*timeline, job, slice_ns, threads)) {
      const auto truth = SamplesOf(job, measured, slice_ns);
      add(StudyAccuracyAgainst(job, measured.resource, truth, options), true);
    }
  }
  for (ResourceId id = 0; id < job.resources.size(); ++id)
    add(StudyAccuracy(job, id, options), false);
  return studies;
}

}  // namespace gordian
