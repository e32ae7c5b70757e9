// gordian diff: two recordings compared, before and after a change.
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/analysis.h"
#include "cli/report_outputs.h"
#include "cli/verbs.h"
#include "output/message_json.h"
#include "output/report_diff_text.h"
#include "report/report_diff.h"

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
  std::vector<pb::Report> reports;
  for (const std::string& directory : {arguments.before, arguments.after}) {
    // One after the other: a recording's timeline takes memory.
    const auto analysis = Analysis::Run(directory, arguments.options);
    if (!analysis.ok())
      return absl::Status(analysis.status().code(),
                          absl::StrCat(directory, ": ", analysis.status().message()));
    reports.push_back(analysis->report());
  }
  const pb::ReportDiff diff = DiffReports(reports[0], reports[1]);
  return arguments.json ? MessageJson(diff, JsonShape::kPretty)
                        : ReportDiffText(diff, {.colour = WantsColour()});
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
  AddGraphOptions(*command, arguments->options.graph);
  return {command, [arguments] { return PrintOrFail(Diff(*arguments)); }};
}

}  // namespace gordian
