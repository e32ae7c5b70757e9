// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuned_job.h"

#include <memory>
#include <utility>

#include "analysis/recording.h"
#include "jobs/models/write_model.h"
#include "jobs/report/measured_input.h"

namespace gordian {

absl::StatusOr<TunedJob> TuneRecordedJob(const JobRequest& request, int threads) {
  // Read once: the file may change meanwhile, and what is written must be what was tuned.
  const auto text = ModelText(request.model);
  if (!text.ok()) return text.status();
  auto model = ParseModel(*text, request.model);
  if (!model.ok()) return model.status();
  TunedJob result;
  TunedModel& tuned = result.tuned;
  tuned.model = *model;
  JobInputs inputs = request.inputs;
  inputs.model = *std::move(model);
  auto reading = ReadJob(inputs);
  if (!reading.ok()) return reading.status();
  tuned.job = std::move(reading->job);
  result.counters = std::move(reading->counters);
  std::vector<MeasuredUse> measured;
  if (!inputs.session_directory.empty()) {
    const auto timeline = ReadTimeline(inputs.session_directory, {.threads = threads});
    if (!timeline.ok()) return timeline.status();
    measured = MeasureJob(**timeline, tuned.job, request.slice_ns(), threads);
  }
  const size_t named = tuned.model.job.resources.size();
  auto resources = TuneRules(measured, request.slice_ns(), named, tuned.job);
  if (!resources.ok()) return resources.status();
  tuned.resources = *std::move(resources);
  for (size_t type = named; type < tuned.job.model.resources.size(); ++type)
    tuned.other_resources.push_back(tuned.job.model.resources[type].name);
  auto yaml = WithRules(*text, request.model, tuned.job.model, tuned.unnamed_types);
  if (!yaml.ok()) return yaml.status();
  tuned.yaml = *std::move(yaml);
  return result;
}

}  // namespace gordian
