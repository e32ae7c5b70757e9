// SPDX-License-Identifier: Apache-2.0
// gordian analyze: the limits of the recorded program.
#include <memory>

#include "cli/analysis_arguments.h"
#include "cli/analyze_arguments.h"
#include "cli/analyze_into.h"
#include "cli/verbs.h"

namespace gordian {
namespace {

constexpr char kAnalyzeExamples[] =
    "gordian analyze trace\n"
    "gordian analyze trace --comm postgres --html report.html --json report.json\n"
    "gordian analyze trace --from 10s --to 20s --explain\n"
    "gordian analyze trace --json - | jq '.findings[0].title'";

int RunAnalyze(const CLI::App& command, const AnalyzeArguments& arguments) {
  if (const std::string conflict = OutputConflict(arguments.outputs); !conflict.empty())
    return FailUsage(command, conflict);
  return AnalyzeInto(arguments.directory, arguments.options, !arguments.no_predictions,
                     arguments.outputs);
}

}  // namespace

Verb AddAnalyzeVerb(CLI::App& app) {
  const auto arguments = std::make_shared<AnalyzeArguments>();
  CLI::App* command =
      AddCommand(app, "analyze", "Tell what limits a recorded program", kAnalyzeExamples);
  AddDirectoryOption(*command, arguments->directory);
  AddAnalyzeOptions(*command, *arguments, "No progress and, beside files, no text report");
  return {command, [command, arguments] { return RunAnalyze(*command, *arguments); }};
}

}  // namespace gordian
