// SPDX-License-Identifier: Apache-2.0
#include "cli/analyze_arguments.h"

#include "cli/analysis_arguments.h"
#include "cli/verb.h"

namespace gordian {

void AddAnalyzeOptions(CLI::App& command, AnalyzeArguments& arguments, const char* quiet) {
  AddOutputOptions(command, arguments.outputs);
  AddColourOption(command, arguments.outputs.colour);
  AddQuietOption(command, arguments.outputs.quiet, quiet);
  AddTargetOptions(command, arguments.options.target);
  AddNodeOption(command, arguments.options.target);
  AddTimeRangeOptions(command, arguments.options.range);
  AddFindingOptions(command, arguments.options.finding);
  AddExplainOption(command, arguments.options.finding);
  AddPredictionOption(command, arguments.no_predictions);
  AddGraphOptions(command, arguments.options);
}

}  // namespace gordian
