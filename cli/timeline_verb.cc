// gordian timeline: what one thread did at every moment.
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "analysis/thread_timeline.h"
#include "cli/analysis_arguments.h"
#include "cli/analysis_progress.h"
#include "cli/report_outputs.h"
#include "cli/text_table.h"
#include "cli/verbs.h"
#include "output/message_json.h"
#include "words/clean_text.h"
#include "words/quantities.h"

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

std::string WaitWords(const pb::TimelineSegment& segment) {
  if (segment.state() != "wait" && segment.state() != "spin") return "";
  std::string text = segment.waits_for().empty() ? "nobody known" : CleanText(segment.waits_for());
  if (!segment.waits_for_node().empty()) text.insert(0, CleanText(segment.waits_for_node()) + "/");
  if (segment.waits_for_tid() != 0) absl::StrAppend(&text, "/", segment.waits_for_tid());
  return text;
}

std::string Remarks(const pb::TimelineSegment& segment) {
  std::string text = segment.kernel_state();
  if (segment.open_start())
    absl::StrAppend(&text, text.empty() ? "" : ", ", "began before the recording");
  if (segment.open_end()) absl::StrAppend(&text, text.empty() ? "" : ", ", "not ended with it");
  return text;
}

std::string ThreadText(const pb::TimelineThread& thread) {
  using Align = TextTable::Align;
  TextTable table({{"START", Align::kRight},
                   {"LENGTH", Align::kRight},
                   {"STATE"},
                   {"WAITS FOR"},
                   {"CAUSE"},
                   {"HOW"}});
  for (const pb::TimelineSegment& segment : thread.segments()) {
    table.AddRow({absl::StrFormat("%.6f", segment.start_s()),
                  SecondsText(segment.end_s() - segment.start_s()), segment.state(),
                  WaitWords(segment), segment.cause(), Remarks(segment)});
  }
  return absl::StrFormat("%s%s/%d of %s (process %d), from %.6f s to %.6f s\n",
                         thread.node().empty() ? "" : CleanText(thread.node()) + "/",
                         CleanText(thread.name()), thread.tid(), CleanText(thread.process()),
                         thread.pid(), thread.begin_s(), thread.end_s()) +
         table.ToString();
}

absl::StatusOr<std::string> Listing(const TimelineArguments& arguments) {
  ShownProgress progress(arguments.directory);
  const auto listing = ListThread(arguments.directory, arguments.thread, progress.callback());
  if (!listing.ok()) return listing.status();
  if (arguments.json) return MessageJson(*listing, JsonShape::kPretty);
  std::string text;
  for (const pb::TimelineThread& thread : listing->threads())
    absl::StrAppend(&text, text.empty() ? "" : "\n", ThreadText(thread));
  return text;
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
