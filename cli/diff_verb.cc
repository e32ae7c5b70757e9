// SPDX-License-Identifier: Apache-2.0
// gordian diff: recordings compared, before and after a change.
#include <memory>
#include <optional>

#include "absl/strings/str_cat.h"
#include "analysis/comparison.h"
#include "cli/analysis_arguments.h"
#include "cli/analysis_progress.h"
#include "cli/output_file.h"
#include "cli/own_store.h"
#include "cli/report_outputs.h"
#include "cli/verbs.h"
#include "output/junit_gate.h"
#include "output/message_json.h"
#include "output/report_diff_text.h"

namespace gordian {
namespace {

// A condition of --fail-if holds. Neither a failure of gordian's, nor of the command line.
constexpr int kExitConditionHolds = 3;

constexpr double kLeastFalseAlarms = 0.001;
constexpr double kMostFalseAlarms = 0.5;

constexpr char kDiffExamples[] =
    "gordian diff before after\n"
    "gordian diff before after --json | jq -r .verdict\n"
    "gordian diff --before a1 a2 a3 --after b1 b2 b3 --fail-if new-limit "
    "--fail-if 'throughput<-5%'\n"
    "gordian diff before after --fail-if 'wait(worker-*->disk vda)>+10%' --junit gate.xml\n"
    "gordian diff before after --fail-if 'throughput<-5%' --progress 'wakes worker'";

struct DiffArguments {
  std::string first;   // DIR1
  std::string second;  // DIR2
  ComparedRecordings recordings;
  std::vector<std::string> conditions;
  GateRequest gate;
  AnalysisOptions options;
  std::string junit;
  bool json = false;
};

absl::StatusOr<pb::ReportDiff> Compare(const DiffArguments& arguments) {
  const ComparedRecordings& recordings = arguments.recordings;
  const size_t others = recordings.before.size() + recordings.after.size() - 1;
  ShownProgress progress(others == 1
                             ? absl::StrCat(recordings.before[0], " and ", recordings.after[0])
                             : absl::StrCat(recordings.before[0], " and ", others, " others"));
  AnalysisOptions options = arguments.options;
  options.store = OpenOwnStoreForReading();
  return CompareRecordings(recordings, options, arguments.gate, progress.callback());
}

// Empty if both ways to name recordings make sense together, else the contradiction.
std::string NameSides(DiffArguments& arguments) {
  ComparedRecordings& recordings = arguments.recordings;
  const bool listed = !recordings.before.empty() || !recordings.after.empty();
  if (listed && !arguments.first.empty())
    return "give DIR1 and DIR2, or --before and --after, not both";
  if (!listed) {
    if (arguments.second.empty())
      return absl::StrCat(arguments.first.empty() ? "DIR1" : "DIR2",
                          " is required, or --before and --after");
    recordings = {.before = {arguments.first}, .after = {arguments.second}};
  }
  if (recordings.before.empty()) return "--after needs --before, too";
  if (recordings.after.empty()) return "--before needs --after, too";
  if (recordings.before.size() > kMostRecordings || recordings.after.size() > kMostRecordings)
    return absl::StrCat("give at most ", kMostRecordings, " recordings on each side");
  return "";
}

// Empty, or what is wrong with the conditions.
std::string ReadConditions(DiffArguments& arguments) {
  arguments.gate.conditions.clear();
  for (const std::string& text : arguments.conditions) {
    const auto condition = ParseCondition(text);
    if (!condition.ok()) return std::string(condition.status().message());
    arguments.gate.conditions.push_back(*condition);
  }
  if (!arguments.conditions.empty()) {
    return arguments.junit == "-" ? "--junit - makes no sense: standard output has the comparison"
                                  : "";
  }
  if (!arguments.junit.empty()) return "--junit needs --fail-if";
  if (arguments.gate.strict) return "--strict needs --fail-if";
  if (!arguments.gate.progress.empty()) return "--progress needs --fail-if throughput<…";
  return "";
}

int RunDiff(const CLI::App& command, DiffArguments& arguments) {
  for (const std::string& wrong : {NameSides(arguments), ReadConditions(arguments)}) {
    if (!wrong.empty()) return FailUsage(command, wrong);
  }
  std::optional<OutputFile> junit;
  if (!arguments.junit.empty()) {
    auto file = OutputFile::Open(arguments.junit);
    if (!file.ok()) return Fail(file.status());
    junit.emplace(*std::move(file));
  }
  const auto diff = Compare(arguments);
  if (!diff.ok()) return Fail(diff.status());
  if (junit) {
    junit->Write(GateJunit(diff->gate()));
    if (absl::Status placed = PlaceTogether({&*junit, 1}); !placed.ok()) return Fail(placed);
  }
  const int printed =
      PrintOrFail(arguments.json ? MessageJson(*diff, JsonShape::kPretty)
                                 : ReportDiffText(*diff, {.colour = WantsColour()}));
  return printed == kExitSuccess && diff->gate().fails() ? kExitConditionHolds : printed;
}

void AddGateOptions(CLI::App& command, DiffArguments& arguments) {
  command
      .add_option("--fail-if", arguments.conditions,
                  "Exit with 3 if this holds beyond chance: new-limit, limit-gone, "
                  "throughput<-5%, 'wait(A->B)>+10%', 'share(A)>30%', runtime>+5%, "
                  "'runtime(PHASE)>+5%'; may be repeated")
      ->allow_extra_args(false)
      ->type_name("CONDITION");
  command
      .add_option("--progress", arguments.gate.progress,
                  "What counts as throughput, as of gordian whatif: 'wakes THREAD', 'io', 'syscall "
                  "NAME', 'probe NAME' (default: what the recordings count, if it is one thing)")
      ->type_name("WHAT");
  command
      .add_option("--false-alarms", arguments.gate.false_alarms,
                  "How often chance alone may make a condition hold (5%)")
      ->transform(ShareOfOne())
      ->check(CLI::Range(kLeastFalseAlarms, kMostFalseAlarms).description(""))
      ->type_name("SHARE");
  command.add_flag("--strict", arguments.gate.strict, "Exit with 3 also if one is undecided");
  command.add_option("--junit", arguments.junit, "The answers on conditions as JUnit's XML")
      ->type_name("FILE");
}

}  // namespace

Verb AddDiffVerb(CLI::App& app) {
  const auto arguments = std::make_shared<DiffArguments>();
  CLI::App* command =
      AddCommand(app, "diff", "Compare recordings, before and after a change", kDiffExamples);
  command->add_option("DIR1", arguments->first, "The earlier recording's folder");
  command->add_option("DIR2", arguments->second, "The later one's");
  command
      ->add_option("--before", arguments->recordings.before,
                   "Instead of DIR1: one or more earlier recordings")
      ->type_name("DIR");
  command
      ->add_option("--after", arguments->recordings.after,
                   "Instead of DIR2: one or more later ones; three a side tell chance from change")
      ->type_name("DIR");
  AddGateOptions(*command, *arguments);
  command->add_flag("--json", arguments->json, "As JSON");
  AddTargetOptions(*command, arguments->options.target);
  AddNodeOption(*command, arguments->options.target);
  AddFindingOptions(*command, arguments->options.finding);
  AddGraphOptions(*command, arguments->options);
  return {command, [command, arguments] { return RunDiff(*command, *arguments); }};
}

}  // namespace gordian
