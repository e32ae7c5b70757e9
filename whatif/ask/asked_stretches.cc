// SPDX-License-Identifier: Apache-2.0
#include "whatif/ask/asked_stretches.h"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <optional>
#include <utility>

#include "base/parallel.h"
#include "whatif/ask/job.h"

namespace gordian {
namespace {

// An answer plays them some 4 to 28 times. With more, a minute of a busy server takes longer than
// the two seconds that a person waits without wondering; with a tenth, the stretches of a server
// of 40,000 requests a second are so short that their ends count.
constexpr uint64_t kMostStepsAsked = 2'000'000;

std::vector<ProgressMark> MarksWithin(std::span<const ProgressMark> marks, const Timeline& part) {
  std::vector<ProgressMark> within;
  std::copy_if(marks.begin(), marks.end(), std::back_inserter(within),
               [&](const ProgressMark& mark) {
                 return mark.time_ns >= part.start_ns() && mark.time_ns <= part.end_ns();
               });
  return within;
}

absl::StatusOr<NamedProgress> ProgressOfPart(const AnalyzedRecording& recording,
                                             const Timeline& part, const NamedProgress* given) {
  const AnalyzedRecording of_part = {.timeline = part,
                                     .report = recording.report,
                                     .vertex_of_entity = recording.vertex_of_entity,
                                     .stacks = recording.stacks,
                                     .code = recording.code,
                                     .answers = recording.answers};
  auto progress =
      given != nullptr ? absl::StatusOr<NamedProgress>(*given) : DefaultProgress(of_part);
  if (progress.ok()) progress->marks = MarksWithin(progress->marks, part);
  return progress;
}

}  // namespace

std::vector<ReplayedStretch> StretchesToAsk(const AnalyzedRecording& recording) {
  if (IsJob(recording)) return {};
  return StretchesToReplay(recording.timeline, kMostStepsAsked);
}

void ForEachStretch(const Timeline& whole, std::span<const ReplayedStretch> stretches,
                    const std::function<void(size_t number, const Timeline& part)>& use) {
  ParallelFor(ThreadCount(0), stretches.size(), [&](size_t number, int) {
    use(number, whole.Excerpt(stretches[number].from_ns, stretches[number].to_ns));
  });
}

absl::StatusOr<StretchesReplayed> ReplayStretches(const AnalyzedRecording& recording,
                                                  std::span<const ReplayedStretch> stretches,
                                                  const NamedProgress* given,
                                                  const ReplayOptions& options,
                                                  const std::function<bool()>& on_replay) {
  std::vector<std::optional<ReplayResult>> results(stretches.size());
  std::vector<std::string> progress_of(stretches.size());
  std::mutex asking;
  bool is_wanted = true;
  const auto ask = [&] {
    const std::lock_guard<std::mutex> lock(asking);
    is_wanted = is_wanted && on_replay();
    return is_wanted;
  };
  ForEachStretch(recording.timeline, stretches, [&](size_t number, const Timeline& part) {
    auto progress = ProgressOfPart(recording, part, given);
    if (!progress.ok()) return;
    ReplayOptions of_part = options;
    of_part.is_stretch = true;
    of_part.marks = std::move(progress->marks);
    progress_of[number] = std::move(progress->what);
    PreparedReplays prepared;
    prepared.on_replay = ask;
    auto result = ReplayTimeline(part, recording.vertex_of_entity, of_part, &prepared);
    if (result.ok()) results[number] = *std::move(result);
  });
  if (!is_wanted) return absl::CancelledError("no answer is wanted any more");
  StretchesReplayed replayed;
  std::vector<ReplayResult> answered;
  for (size_t number = 0; number < stretches.size(); ++number) {
    if (!results[number]) continue;
    answered.push_back(*std::move(results[number]));
    replayed.progress = progress_of[number];
  }
  // A stretch in which the progress rests has no say. If most have none, the progress is too rare.
  if (answered.size() <= stretches.size() / 2)
    return absl::FailedPreconditionError("too little happens in most stretches");
  replayed.answered = answered.size();
  replayed.result = JoinStretches(answered, options.changes);
  return replayed;
}

}  // namespace gordian
