// SPDX-License-Identifier: Apache-2.0
#include "analysis/thread_timeline.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "analysis/analysis.h"
#include "analysis/recording.h"
#include "analyzer/suggestions/suggestions.h"
#include "report/timeline_listing.h"
#include "report/vertex_names.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

TimeRange RangeOfRequest(const ThreadTimelineRequest& request, const Timeline& timeline) {
  return RangeOf(timeline.start_ns(), timeline.end_ns(), request.range.from_ns,
                 request.range.to_ns);
}

absl::StatusOr<pb::TimelineListing> ByNumber(const std::string& directory,
                                             const ThreadTimelineRequest& request,
                                             const AnalysisProgress& progress) {
  const auto recording = ReadRecording(directory, request.analysis.reading(),
                                       BeginStage(progress, AnalysisStage::kReading));
  if (!recording.ok()) return recording.status();
  Timeline& timeline = *recording->timeline;
  if (request.analysis.graph.assume_false_wakeups) {
    bool unreadable = false;
    const Code code = ReadCode(*recording, unreadable);
    timeline.JoinWaits(FindFalseWakeups(timeline, code, {}).after_false_wakeups);
  }
  return ListTimeline(timeline, request.tid, RangeOfRequest(request, timeline), request.node);
}

// The names of threads depend on which are drawn together.
absl::StatusOr<pb::TimelineListing> ByName(const std::string& directory,
                                           const ThreadTimelineRequest& request,
                                           const AnalysisProgress& progress) {
  const auto analysis = Analysis::Run(directory, request.analysis, progress);
  if (!analysis.ok()) return analysis.status();
  const VertexNames names(analysis->report());
  const std::vector<uint32_t> called = names.Called(request.name);
  if (called.empty()) return names.NoneCalled(request.name);
  std::vector<EntityId> threads;
  for (const uint32_t vertex : called) {
    for (const uint32_t member : names.Find(vertex)->members()) threads.push_back(member);
  }
  if (threads.empty())
    return absl::InvalidArgumentError(
        absl::StrCat(names.Name(called.front()), " is no thread: it has no timeline"));
  return ListTimeline(analysis->timeline(), threads, RangeOfRequest(request, analysis->timeline()));
}

}  // namespace

absl::StatusOr<pb::TimelineListing> ListThread(const std::string& directory,
                                               const ThreadTimelineRequest& request,
                                               const AnalysisProgress& progress) {
  auto listing = request.tid != 0 ? ByNumber(directory, request, progress)
                                  : ByName(directory, request, progress);
  if (!listing.ok()) return listing.status();
  if (listing->threads().empty())
    return absl::NotFoundError(absl::StrCat(
        request.tid != 0 ? absl::StrCat("thread ", request.tid) : CleanText(request.name),
        " did not live in that time of the recording; gordian graph --no-merge ", directory,
        " lists the threads"));
  return listing;
}

}  // namespace gordian
