// SPDX-License-Identifier: Apache-2.0
// gordian profile: record and analyze in one go.
#include <memory>

#include "cli/analysis_arguments.h"
#include "cli/analyze_into.h"
#include "cli/recording_run.h"
#include "cli/report_outputs.h"
#include "cli/verbs.h"

namespace gordian {
namespace {

constexpr char kProfileExamples[] =
    "gordian profile -- ./server --port 8080\n"
    "gordian profile --duration 30s --comm postgres --html report.html\n"
    "gordian profile -o before -- make bench   (the recording stays, for gordian diff)";

struct ProfileArguments {
  RecordArguments record;
  AnalysisOptions options;
  bool no_predictions = false;
  OutputArguments outputs;
};

// The targets are those of the recording: record's own options name them.
int RunProfile(const CLI::App& command, ProfileArguments& arguments) {
  if (const std::string conflict = OutputConflict(arguments.outputs); !conflict.empty())
    return FailUsage(command, conflict);
  const RecordingResult recording = RunRecording(command, arguments.record);
  if (!recording.recorded) return recording.exit_code;
  arguments.outputs.quiet = arguments.record.quiet;
  const int analyzed = AnalyzeInto(arguments.record.directory, arguments.options,
                                   !arguments.no_predictions, arguments.outputs);
  return analyzed == kExitSuccess ? recording.exit_code : analyzed;
}

}  // namespace

Verb AddProfileVerb(CLI::App& app) {
  const auto arguments = std::make_shared<ProfileArguments>();
  CLI::App* command = AddCommand(
      app, "profile", "Record this machine and tell what limits it, in one go", kProfileExamples);
  AddRecordOptions(*command, arguments->record);
  AddOutputOptions(*command, arguments->outputs);
  AddColourOption(*command, arguments->outputs.colour);
  AddFindingOptions(*command, arguments->options.finding);
  AddExplainOption(*command, arguments->options.finding);
  AddPredictionOption(*command, arguments->no_predictions);
  AddGraphOptions(*command, arguments->options);
  return {command, [command, arguments] { return RunProfile(*command, *arguments); }};
}

}  // namespace gordian
