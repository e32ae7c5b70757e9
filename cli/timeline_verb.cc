// SPDX-License-Identifier: Apache-2.0
// gordian timeline: the state of one thread at every moment.
#include <memory>

#include "analysis/thread_timeline.h"
#include "cli/analysis_arguments.h"
#include "cli/analysis_progress.h"
#include "cli/own_store.h"
#include "cli/report_outputs.h"
#include "cli/verbs.h"
#include "output/message_json.h"
#include "output/timeline_text.h"
#include "words/quantity_options.h"

namespace gordian {
namespace {

constexpr char kTimelineExamples[] =
    "gordian timeline trace --tid 4711\n"
    "gordian timeline trace --thread 'worker-* (16 threads)' --from 2s --to 2100ms\n"
    "gordian timeline trace --tid 4711 --json | jq '.threads[].segments[] | select(.state == "
    "\"wait\")'";

struct TimelineArguments {
  std::string directory;
  ThreadTimelineRequest thread;
  bool json = false;
};

absl::StatusOr<std::string> Listing(const TimelineArguments& arguments) {
  ShownProgress progress(arguments.directory);
  ThreadTimelineRequest request = arguments.thread;
  request.analysis.store = OpenOwnStoreForReading();
  const auto listing = ListThread(arguments.directory, request, progress.callback());
  if (!listing.ok()) return listing.status();
  return arguments.json ? MessageJson(*listing, JsonShape::kPretty) : TimelineText(*listing);
}

}  // namespace

Verb AddTimelineVerb(CLI::App& app) {
  const auto arguments = std::make_shared<TimelineArguments>();
  CLI::App* command =
      AddCommand(app, "timeline", "Tell what a thread did at every moment", kTimelineExamples);
  AddDirectoryOption(*command, arguments->directory);
  CLI::Option* tid = command->add_option("--tid", arguments->thread.tid, "The thread")
                         ->check(ProcessNumber())
                         ->type_name("TID");
  command->add_option("--node", arguments->thread.node, "… on this node, of a recording of many")
      ->type_name("NAME")
      ->needs(tid);
  command
      ->add_option("--thread", arguments->thread.name,
                   "Instead: the thread, or all threads of the group, that a report calls so")
      ->type_name("NAME")
      ->excludes(tid);
  AddTimeRangeOptions(*command, arguments->thread.range);
  command->add_flag("--json", arguments->json, "As JSON");
  AddGraphOptions(*command, arguments->thread.analysis);
  return {command, [arguments, command] {
            if (arguments->thread.tid == 0 && arguments->thread.name.empty())
              return FailUsage(*command, "name the thread: --tid or --thread");
            return PrintOrFail(Listing(*arguments));
          }};
}

}  // namespace gordian
