// gordian diff: two recordings compared, before and after a change.
#include <memory>

#include "absl/strings/str_cat.h"
#include "analysis/comparison.h"
#include "cli/analysis_arguments.h"
#include "cli/analysis_progress.h"
#include "cli/report_outputs.h"
#include "cli/verbs.h"
#include "output/message_json.h"
#include "output/report_diff_text.h"

namespace gordian {
namespace {

constexpr char kDiffExamples[] =
    "gordian diff before after\n"
    "gordian diff before after --json | jq -r .verdict";

struct DiffArguments {
  std::string before;
  std::string after;
  AnalysisOptions options;
  bool json = false;
};

absl::StatusOr<std::string> Diff(const DiffArguments& arguments) {
  ShownProgress progress(absl::StrCat(arguments.before, " and ", arguments.after));
  const auto diff =
      CompareRecordings(arguments.before, arguments.after, arguments.options, progress.callback());
  if (!diff.ok()) return diff.status();
  return arguments.json ? MessageJson(*diff, JsonShape::kPretty)
                        : ReportDiffText(*diff, {.colour = WantsColour()});
}

}  // namespace

Verb AddDiffVerb(CLI::App& app) {
  const auto arguments = std::make_shared<DiffArguments>();
  CLI::App* command =
      AddCommand(app, "diff", "Compare two recordings, before and after a change", kDiffExamples);
  command->add_option("DIR1", arguments->before, "The earlier recording's folder")->required();
  command->add_option("DIR2", arguments->after, "The later one's")->required();
  command->add_flag("--json", arguments->json, "As JSON");
  AddTargetOptions(*command, arguments->options.target);
  AddNodeOption(*command, arguments->options.target);
  AddFindingOptions(*command, arguments->options.finding);
  AddGraphOptions(*command, arguments->options);
  return {command, [arguments] { return PrintOrFail(Diff(*arguments)); }};
}

}  // namespace gordian
