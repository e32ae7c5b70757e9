// SPDX-License-Identifier: Apache-2.0
// gordian whatif: the gain of a change.
#include <memory>

#include "cli/analysis_arguments.h"
#include "cli/analysis_progress.h"
#include "cli/report_outputs.h"
#include "cli/verbs.h"
#include "output/message_json.h"
#include "output/whatif_text.h"
#include "whatif/ask/ask.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

constexpr char kWhatIfExamples[] =
    "gordian whatif trace --scale 'disk vda=0'        (the disk takes no time)\n"
    "gordian whatif trace --async 'SyncThread->disk vda' --progress 'syscall accept4'\n"
    "gordian whatif trace --skip 'postgres->disk vda'  (no sync at all)\n"
    "gordian whatif trace --lock 'worker-*->worker-*' --cpus 16\n"
    "gordian whatif trace --split 'worker-*->worker-*=8'  (eight locks instead of one)\n"
    "gordian whatif trace --add-thread 'worker-*=2' --progress 'probe done'\n"
    "gordian whatif trace --in-flight haproxy=8           (eight times its limit of requests)\n"
    "gordian whatif trace --from 10s --to 20s --async 'B->disk vda'  (of that range)\n"
    "gordian whatif nodes --async 'web1/nginx->db1/postgres' --cpus db1=16   (of several nodes)\n"
    "gordian whatif trace --function 'Compress=0.5' --json | jq '.low, .high'";

struct WhatIfArguments {
  std::string directory;
  AnalysisOptions options;
  WhatIfRequest request;
  bool json = false;
  ColourChoice colour = ColourChoice::kAuto;
};

absl::StatusOr<std::string> WhatIf(const WhatIfArguments& arguments) {
  const auto analysis = AnalyzeShowing(arguments.directory, arguments.options);
  if (!analysis.ok()) return analysis.status();
  const auto answer = analysis->Ask(arguments.request);
  if (!answer.ok()) return answer.status();
  return arguments.json ? MessageJson(*answer, JsonShape::kPretty)
                        : WhatIfText(*answer, StyleOfStdout(arguments.colour));
}

void AddChangeOptions(CLI::App& command, WhatIfRequest& request) {
  for (const ChangeOption& change : ChangeOptions()) {
    const std::string name = change.name;
    CLI::Option* option = command.add_option_function<std::vector<std::string>>(
        "--" + name,
        [&request, name](const std::vector<std::string>& texts) {
          for (const std::string& text : texts) request.changes.push_back({name, text});
        },
        change.once ? std::string(change.help) + " (once)" : change.help);
    option->allow_extra_args(false)->type_name(change.argument);
    if (change.once) option->expected(1);
  }
  command
      .add_option("--progress", request.progress,
                  "What counts as throughput: 'wakes THREAD', 'io', 'io DISK', 'syscall NAME' (if "
                  "recorded with --count-call), 'probe NAME' or 'phase NAME' (default: the cycles "
                  "of the first finding's threads)")
      ->type_name("WHAT");
}

}  // namespace

Verb AddWhatIfVerb(CLI::App& app) {
  const auto arguments = std::make_shared<WhatIfArguments>();
  CLI::App* command =
      AddCommand(app, "whatif", "Predict what a change would gain", kWhatIfExamples);
  AddDirectoryOption(*command, arguments->directory);
  AddChangeOptions(*command, arguments->request);
  command->add_flag("--json", arguments->json, "As JSON");
  AddColourOption(*command, arguments->colour);
  AddTargetOptions(*command, arguments->options.target);
  AddNodeOption(*command, arguments->options.target);
  AddTimeRangeOptions(*command, arguments->options.range);
  AddFindingOptions(*command, arguments->options.finding);
  AddGraphOptions(*command, arguments->options);
  return {command, [arguments, command] {
            if (arguments->request.changes.empty()) return FailUsage(*command, NameAChange());
            const absl::StatusOr<std::string> answer = WhatIf(*arguments);
            if (absl::IsInvalidArgument(answer.status()))
              return FailUsage(*command, std::string(answer.status().message()));
            return PrintOrFail(answer);
          }};
}

}  // namespace gordian
