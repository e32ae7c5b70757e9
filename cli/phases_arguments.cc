// SPDX-License-Identifier: Apache-2.0
#include "cli/phases_arguments.h"

#include "cli/analysis_arguments.h"
#include "cli/job_arguments.h"
#include "cli/verb.h"

namespace gordian {

void AddPhasesOptions(CLI::App& command, PhasesArguments& arguments) {
  command.add_option("DIR", arguments.job.inputs.session_directory, "A recording made meanwhile");
  AddJobOptions(command, arguments.job);
  AddPhaseOutputOptions(command, arguments.outputs);
  AddColourOption(command, arguments.outputs.colour);
  AddQuietOption(command, arguments.outputs.quiet, "No progress and, beside files, no text report");
  CLI::Option* tree =
      command.add_flag("--tree", arguments.tree, "Only list the phases, every one of them");
  command
      .add_flag("--validate", arguments.validate,
                "Only tell how far samples made coarser can be told from the phases")
      ->excludes(tree);
  command.add_flag("--job-thresholds", arguments.list_thresholds,
                   "Only list the thresholds that --job-threshold sets");
  AddTargetOptions(command, arguments.analysis.target);
  AddCapacityOptions(command, arguments.analysis.capacities);
}

}  // namespace gordian
