#include "analysis/thread_timeline.h"

#include "absl/strings/str_cat.h"
#include "analysis/recording.h"
#include "analyzer/suggestions/suggestions.h"
#include "report/timeline_listing.h"

namespace gordian {

absl::StatusOr<pb::TimelineListing> ListThread(const std::string& directory,
                                               const ThreadTimelineRequest& request,
                                               const AnalysisProgress& progress) {
  const auto recording =
      ReadRecording(directory, /*threads=*/0, BeginStage(progress, AnalysisStage::kReading));
  if (!recording.ok()) return recording.status();
  Timeline& timeline = *recording->timeline;
  if (request.assume_false_wakeups) {
    bool unreadable = false;
    const Code code = ReadCode(*recording, unreadable);
    timeline.JoinWaits(FindFalseWakeups(timeline, code, {}).after_false_wakeups);
  }
  const TimeRange range =
      RangeOf(timeline.start_ns(), timeline.end_ns(), request.range.from_ns, request.range.to_ns);
  pb::TimelineListing listing = ListTimeline(timeline, request.tid, range, request.node);
  if (listing.threads().empty())
    return absl::NotFoundError(absl::StrCat(
        "thread ", request.tid, " did not live in that time of the recording; gordian graph ",
        "--no-merge ", directory, " lists the threads"));
  return listing;
}

}  // namespace gordian
