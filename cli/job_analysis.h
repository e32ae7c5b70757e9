// A job's phases as a person asks for them: options, and what they make of a report.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/timeline/timeline.h"
#include "cli/verb.h"
#include "jobs/phases/read_job.h"
#include "jobs/report/job_report.h"

namespace gordian {

struct JobArguments {
  JobInputs inputs;  // but for the model, which is read when it is needed
  std::string model = "probes";
  double slice_ms = 10;
};

// --log, --model and --zone; all.
void AddLogOptions(CLI::App& command, JobArguments& arguments);
void AddJobOptions(CLI::App& command, JobArguments& arguments);

// Reads the model, then the logs. `nodes`: as in JobInputs.
absl::StatusOr<JobReading> ReadJobOf(const JobArguments& arguments,
                                     std::vector<JobSession> nodes = {});

// With a recording, use is measured where it can be; without, `timeline` is null.
absl::StatusOr<JobAnalysis> AnalyzeReading(Job job, const JobArguments& arguments,
                                           const Timeline* timeline, int threads);

// Adds what was imperfect to the report's counters.
void AddJobCounters(const std::vector<TalliedCounter>& counters, const Attribution& attribution,
                    pb::Report& report);

}  // namespace gordian
