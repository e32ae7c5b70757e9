#include "cli/job_arguments.h"

namespace gordian {

void AddLogOptions(CLI::App& command, JobRequest& request) {
  JobInputs& inputs = request.inputs;
  command
      .add_option("--log", inputs.logs,
                  "A log, plain, gzip or zstd; - reads standard input. May be repeated")
      ->type_name("FILE")
      ->expected(1)
      ->take_all();
  command
      .add_option("--model", request.model,
                  "What the log's lines mean: a ready model (gordian model list) or a file")
      ->type_name("NAME|FILE")
      ->capture_default_str();
  command.add_option("--zone", inputs.zone, "Of times without one, rather than the model's")
      ->type_name("ZONE");
}

void AddJobOptions(CLI::App& command, JobRequest& request) {
  JobInputs& inputs = request.inputs;
  AddLogOptions(command, request);
  command
      .add_option("--job", request.jobs,
                  "One of several jobs that shared the machines, with its model and its logs "
                  "(spark=a.json; ninja=.ninja_log; probes). May be repeated")
      ->type_name("MODEL[=FILE,…]")
      ->expected(1)
      ->take_all()
      ->excludes(command.get_option("--log"))
      ->excludes(command.get_option("--model"));
  command
      .add_option("--resources", inputs.resource_files,
                  "Samples of resources: CSV with time,resource,value[,capacity][,node]. May be "
                  "repeated")
      ->type_name("CSV")
      ->expected(1)
      ->take_all();
  command.add_option("--slice", request.slice_ms, "Length of a timeslice, in milliseconds")
      ->type_name("MS")
      ->check(CLI::Range(0.001, 3'600'000.0))
      ->capture_default_str();
}

}  // namespace gordian
