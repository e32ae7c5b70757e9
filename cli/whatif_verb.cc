// SPDX-License-Identifier: Apache-2.0
// gordian whatif: the gain of a change.
#include <chrono>
#include <iostream>
#include <memory>

#include "absl/strings/str_cat.h"
#include "analysis/whatif_verification.h"
#include "cli/analysis_arguments.h"
#include "cli/analysis_progress.h"
#include "cli/report_outputs.h"
#include "cli/verbs.h"
#include "output/history_text.h"
#include "output/message_json.h"
#include "output/whatif_text.h"
#include "whatif/ask/ask.h"
#include "whatif/history/history.h"
#include "words/clean_text.h"
#include "words/quantities.h"

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
    "gordian whatif trace --function 'Compress=0.5' --json | jq '.low, .high'\n"
    "gordian whatif before --skip 'postgres->disk vda' --verify after  (recorded after the fix)\n"
    "gordian whatif --history                          (how earlier predictions fared here)";

struct WhatIfArguments {
  std::string directory;
  AnalysisOptions options;
  WhatIfRequest request;
  std::string after;  // of --verify
  bool history = false;
  std::string history_file = DefaultHistoryFile();
  bool json = false;
  ColourChoice colour = ColourChoice::kAuto;
};

absl::StatusOr<pb::PredictionHistory> OwnHistory(const WhatIfArguments& arguments) {
  if (arguments.history_file.empty())
    return absl::FailedPreconditionError(
        "there is no folder for the history of predictions, as neither XDG_STATE_HOME nor HOME is "
        "set; give --history-file");
  return ReadHistory(arguments.history_file);
}

absl::StatusOr<std::string> ShowHistory(const WhatIfArguments& arguments) {
  const auto history = OwnHistory(arguments);
  if (!history.ok()) return history.status();
  return arguments.json ? MessageJson(*history, JsonShape::kPretty) : HistoryText(*history);
}

std::string Now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return FormatRealtime(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

// Holds the prediction against the recording made after the fix. AFTER is analyzed whole.
absl::Status Verify(const WhatIfArguments& arguments, const Analysis& before, pb::WhatIf& answer) {
  AnalysisOptions options = arguments.options;
  options.range = {};
  const auto after = AnalyzeShowing(arguments.after, options);
  if (!after.ok())
    return {after.status().code(),
            absl::StrCat(CleanText(arguments.after), ": ", after.status().message())};
  auto made = VerifyPrediction(before, *after, arguments.request, answer);
  if (!made.ok())
    return {made.status().code(), absl::StrCat("--verify: ", made.status().message())};
  *answer.mutable_verification() = *std::move(made);
  if (!answer.verification().counts_work()) return absl::OkStatus();
  // The answer is good without its place in the history.
  const absl::Status kept =
      arguments.history_file.empty()
          ? OwnHistory(arguments).status()
          : AddToHistory(arguments.history_file,
                         ScoreOf(answer, arguments.directory, arguments.after, Now()));
  if (!kept.ok())
    std::cerr << "gordian: the prediction is not kept: " << InOneLine(std::string(kept.message()))
              << "\n";
  return absl::OkStatus();
}

void CalibrateByOwn(const pb::PredictionHistory& history, pb::WhatIf& answer) {
  std::vector<const pb::PredictionScore*> scores;
  for (const pb::PredictionScore& score : history.predictions()) scores.push_back(&score);
  Calibrate(scores, answer);
}

absl::StatusOr<std::string> WhatIf(const WhatIfArguments& arguments) {
  const auto analysis = AnalyzeShowing(arguments.directory, arguments.options);
  if (!analysis.ok()) return analysis.status();
  auto answer = analysis->Ask(arguments.request);
  if (!answer.ok()) return answer.status();
  // A history that cannot be read is no reason to keep an answer back.
  const auto before = OwnHistory(arguments);
  if (before.ok()) CalibrateByOwn(*before, *answer);
  if (!arguments.after.empty()) {
    if (absl::Status status = Verify(arguments, *analysis, *answer); !status.ok()) return status;
  }
  const auto history = OwnHistory(arguments);
  if (history.ok() && history->record().checked() > 0)
    *answer->mutable_earlier() = history->record();
  return arguments.json ? MessageJson(*answer, JsonShape::kPretty)
                        : WhatIfText(*answer, StyleOfStdout(arguments.colour));
}

void AddHistoryOptions(CLI::App& command, WhatIfArguments& arguments) {
  command
      .add_option("--verify", arguments.after,
                  "Compare the prediction with this recording, made after the fix, and keep the "
                  "score")
      ->type_name("AFTER");
  command.add_flag("--history", arguments.history,
                   "Show how predictions fared that were verified on this machine");
  command
      .add_option("--history-file", arguments.history_file,
                  "The file of these scores (~/.local/state/gordian/predictions.jsonl)")
      ->type_name("FILE")
      ->default_str("");
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
                  "recorded with --count-call), 'probe NAME' or 'phase NAME' (default: what "
                  "the target does for its clients; if that is little, the cycles of the first "
                  "finding's threads, or of those that wait at the lock that is asked about)")
      ->type_name("WHAT");
}

}  // namespace

Verb AddWhatIfVerb(CLI::App& app) {
  const auto arguments = std::make_shared<WhatIfArguments>();
  arguments->options.questions = true;
  CLI::App* command =
      AddCommand(app, "whatif", "Predict what a change would gain", kWhatIfExamples);
  AddDirectoryOption(*command, arguments->directory);
  command->get_option("DIR")->required(false);  // --history needs none
  AddChangeOptions(*command, arguments->request);
  AddHistoryOptions(*command, *arguments);
  command->add_flag("--json", arguments->json, "As JSON");
  AddColourOption(*command, arguments->colour);
  AddTargetOptions(*command, arguments->options.target);
  AddNodeOption(*command, arguments->options.target);
  AddTimeRangeOptions(*command, arguments->options.range);
  AddFindingOptions(*command, arguments->options.finding);
  AddGraphOptions(*command, arguments->options);
  return {
      command, [arguments, command] {
        if (arguments->history && !(arguments->request.changes.empty() && arguments->after.empty()))
          return FailUsage(*command, "--history stands alone, without a change or --verify");
        if (arguments->history) return PrintOrFail(ShowHistory(*arguments));
        if (arguments->directory.empty()) return FailUsage(*command, "DIR is required");
        if (arguments->request.changes.empty()) return FailUsage(*command, NameAChange());
        const absl::StatusOr<std::string> answer = WhatIf(*arguments);
        if (absl::IsInvalidArgument(answer.status()))
          return FailUsage(*command, std::string(answer.status().message()));
        return PrintOrFail(answer);
      }};
}

}  // namespace gordian
