// SPDX-License-Identifier: Apache-2.0
#include "cli/job_arguments.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "jobs/report/job_thresholds.h"
#include "words/parse_quantities.h"

namespace gordian {
namespace {

constexpr double kLeastSliceMs = 0.001;
constexpr double kMostSliceMs = 3'600'000;

// Turns 50ms, 1.5s or 20 (milliseconds) into milliseconds.
CLI::Validator SliceInMs() {
  return {[](std::string& text) {
            double slice_ms = 0;
            const auto span_ns = ParseDuration(text);
            if (span_ns.ok()) slice_ms = static_cast<double>(*span_ns) / 1e6;
            const bool is_known = span_ns.ok() || absl::SimpleAtod(text, &slice_ms);
            if (!is_known || !(slice_ms >= kLeastSliceMs && slice_ms <= kMostSliceMs))
              return absl::StrCat("'", text, "' is no time from 1us to 1h: give 50ms or 1.5s");
            text = absl::StrFormat("%.6f", slice_ms);
            return std::string();
          },
          ""};
}

}  // namespace

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
  command
      .add_option("--slice", request.slice_ms,
                  "Length of a timeslice: 50ms, 1s; without a unit in milliseconds")
      ->type_name("TIME")
      ->transform(SliceInMs())
      ->capture_default_str();
  command
      .add_option_function<std::vector<std::string>>(
          "--job-threshold",
          [&request](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) {
              const absl::Status status = SetJobThreshold(text, request.options);
              if (!status.ok())
                throw CLI::ValidationError("--job-threshold", std::string(status.message()));
            }
          },
          "When something counts as an issue, a full resource, …: full-share=0.9. May be repeated; "
          "--job-thresholds lists all")
      ->type_name("NAME=VALUE")
      ->expected(1)
      ->take_all();
}

}  // namespace gordian
