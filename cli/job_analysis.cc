#include "cli/job_analysis.h"

#include <utility>

#include "cli/report_counters.h"
#include "jobs/measured/measured.h"
#include "jobs/models/phase_model.h"
#include "jobs/report/measured_input.h"

namespace gordian {

void AddLogOptions(CLI::App& command, JobArguments& arguments) {
  JobInputs& inputs = arguments.inputs;
  command
      .add_option("--log", inputs.logs,
                  "A log, plain, gzip or zstd; - reads standard input. May be repeated")
      ->type_name("FILE")
      ->expected(1)
      ->take_all();
  command
      .add_option("--model", arguments.model,
                  "What the log's lines mean: a ready model (gordian model list) or a file")
      ->type_name("NAME|FILE")
      ->capture_default_str();
  command.add_option("--zone", inputs.zone, "Of times without one, rather than the model's")
      ->type_name("ZONE");
}

void AddJobOptions(CLI::App& command, JobArguments& arguments) {
  JobInputs& inputs = arguments.inputs;
  AddLogOptions(command, arguments);
  command
      .add_option("--resources", inputs.resource_files,
                  "Samples of resources: CSV with time,resource,value[,capacity][,node]. May be "
                  "repeated")
      ->type_name("CSV")
      ->expected(1)
      ->take_all();
  command.add_option("--slice", arguments.slice_ms, "Length of a timeslice, in milliseconds")
      ->type_name("MS")
      ->check(CLI::Range(0.001, 3'600'000.0))
      ->capture_default_str();
}

absl::StatusOr<JobReading> ReadJobOf(const JobArguments& arguments, std::vector<JobSession> nodes) {
  auto model = LoadModel(arguments.model);
  if (!model.ok()) return model.status();
  JobInputs inputs = arguments.inputs;
  inputs.model = *std::move(model);
  inputs.nodes = std::move(nodes);
  return ReadJob(inputs);
}

absl::StatusOr<JobAnalysis> AnalyzeReading(Job job, const JobArguments& arguments,
                                           const Timeline* timeline, int threads) {
  JobOptions options;
  options.attribution.slice_ns = static_cast<uint64_t>(arguments.slice_ms * 1e6);
  options.attribution.threads = threads;
  std::vector<MeasuredUse> measured;
  if (timeline != nullptr && !job.phases.empty()) {
    std::vector<std::string> nodes = timeline->nodes();
    if (nodes.empty()) nodes = {timeline->session().host().hostname()};
    for (const std::string& node : nodes) {
      const PhaseMeasurement measurement = MeasureUse(*timeline, job,
                                                      {.slice_ns = options.attribution.slice_ns,
                                                       .from_ns = job.phases[0].start_ns,
                                                       .to_ns = job.phases[0].end_ns,
                                                       .node = node,
                                                       .threads = threads});
      for (MeasuredUse& use : MeasuredInput(job, measurement, node)) {
        // What the nodes share no one of them tells.
        if (nodes.size() > 1 && job.resources[use.resource].node.empty()) continue;
        measured.push_back(std::move(use));
      }
    }
  }
  return AnalyzeJob(std::move(job), std::move(measured), options);
}

void AddJobCounters(const std::vector<TalliedCounter>& counters, const Attribution& attribution,
                    pb::Report& report) {
  for (const TalliedCounter& counter : counters) AddCounter(counter.name, counter.value, report);
  for (const AttributionCount& count : attribution.counts)
    AddCounter(count.name, count.value, report);
}

}  // namespace gordian
