// gordian timeline: what one thread did at every moment.
#include <memory>

#include "analysis/thread_timeline.h"
#include "cli/analysis_arguments.h"
#include "cli/analysis_progress.h"
#include "cli/report_outputs.h"
#include "cli/verbs.h"
#include "output/message_json.h"
#include "output/timeline_text.h"

namespace gordian {
namespace {

constexpr char kTimelineExamples[] =
    "gordian timeline trace --tid 4711\n"
    "gordian timeline trace --tid 4711 --from 2s --to 2100ms\n"
    "gordian timeline trace --tid 4711 --json | jq '.threads[].segments[] | select(.state == "
    "\"wait\")'";

struct TimelineArguments {
  std::string directory;
  ThreadTimelineRequest thread;
  bool json = false;
};

absl::StatusOr<std::string> Listing(const TimelineArguments& arguments) {
  ShownProgress progress(arguments.directory);
  const auto listing = ListThread(arguments.directory, arguments.thread, progress.callback());
  if (!listing.ok()) return listing.status();
  return arguments.json ? MessageJson(*listing, JsonShape::kPretty) : TimelineText(*listing);
}

}  // namespace

Verb AddTimelineVerb(CLI::App& app) {
  const auto arguments = std::make_shared<TimelineArguments>();
  CLI::App* command =
      AddCommand(app, "timeline", "Tell what a thread did at every moment", kTimelineExamples);
  AddDirectoryOption(*command, arguments->directory);
  command->add_option("--tid", arguments->thread.tid, "The thread")
      ->required()
      ->check(CLI::PositiveNumber.description(""))
      ->type_name("TID");
  command->add_option("--node", arguments->thread.node, "… on this node, of a recording of many")
      ->type_name("NAME");
  AddTimeRangeOptions(*command, arguments->thread.range);
  AddAssumeOption(*command, arguments->thread.assume_false_wakeups);
  command->add_flag("--json", arguments->json, "As JSON");
  return {command, [arguments] { return PrintOrFail(Listing(*arguments)); }};
}

}  // namespace gordian
