// SPDX-License-Identifier: Apache-2.0
#include "views/why.h"

#include <algorithm>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "analysis/slice_names.h"

namespace gordian {
namespace {

// Sums up stretches, and keeps the longest.
class WhySums {
 public:
  void Add(const WhyStretch& stretch) {
    const uint64_t ns = stretch.to_ns - stretch.from_ns;
    WhyPart& part = parts_[{stretch.thread, static_cast<uint8_t>(stretch.activity)}];
    part.thread = stretch.thread;
    part.activity = stretch.activity;
    part.ns += ns;
    ++part.stretches;
    all_ns_ += ns;
    kept_.push_back(stretch);
    if (kept_.size() >= 2 * kMostWhyStretches) KeepLongest();
  }

  void Tell(WhyAnswer& answer) {
    KeepLongest();
    std::sort(kept_.begin(), kept_.end(), [](const WhyStretch& a, const WhyStretch& b) {
      return std::tie(a.from_ns, a.to_ns, a.thread) < std::tie(b.from_ns, b.to_ns, b.thread);
    });
    for (const auto& [key, part] : parts_) answer.parts.push_back(part);
    std::sort(answer.parts.begin(), answer.parts.end(), [](const WhyPart& a, const WhyPart& b) {
      return std::tuple(b.ns, a.thread, a.activity) < std::tuple(a.ns, b.thread, b.activity);
    });
    if (answer.parts.size() > kMostWhyParts) {
      answer.parts_left_out = answer.parts.size() - kMostWhyParts;
      answer.parts.resize(kMostWhyParts);
    }
    answer.stretches = std::move(kept_);
    answer.stretches_left_out = left_out_;
    answer.all_ns = all_ns_;
  }

 private:
  void KeepLongest() {
    if (kept_.size() <= kMostWhyStretches) return;
    std::nth_element(kept_.begin(), kept_.begin() + kMostWhyStretches, kept_.end(),
                     [](const WhyStretch& a, const WhyStretch& b) {
                       return std::tuple(b.to_ns - b.from_ns, a.from_ns, a.thread) <
                              std::tuple(a.to_ns - a.from_ns, b.from_ns, b.thread);
                     });
    left_out_ += kept_.size() - kMostWhyStretches;
    kept_.resize(kMostWhyStretches);
  }

  absl::flat_hash_map<std::pair<EntityId, uint8_t>, WhyPart> parts_;
  std::vector<WhyStretch> kept_;
  uint64_t left_out_ = 0;
  uint64_t all_ns_ = 0;
};

// What lies behind `until_ns` is not told.
absl::StatusOr<WhyAnswer> PathUntil(const Timeline& timeline, const RecordedPhases& phases,
                                    EntityId thread, const TimeRange& range, uint64_t until_ns,
                                    int threads) {
  const uint64_t start_ns = timeline.start_ns();
  if (range.length_ns() == 0) return absl::InvalidArgumentError("the range holds no time");
  std::vector<uint8_t> is_end;
  if (thread == kNobody) {
    is_end = EndsOfCriticalPaths(timeline);
  } else {
    if (thread >= timeline.thread_count())
      return absl::InvalidArgumentError(absl::StrCat("there is no thread ", thread));
    is_end.resize(timeline.thread_count());
    is_end[thread] = 1;
  }
  const WindowParticipation window = CriticalPathWithin(timeline, phases, is_end, range, threads);
  if (window.paths == 0)
    return absl::InvalidArgumentError(
        "no path: no such thread ran, or waited for anything known, in this range");
  WhySums sums;
  for (const CriticalStretch& stretch : window.path) {
    const uint64_t to_ns = std::min(stretch.to_ns, until_ns);
    if (stretch.from_ns >= to_ns) continue;
    sums.Add({.thread = stretch.thread,
              .from_ns = stretch.from_ns - start_ns,
              .to_ns = to_ns - start_ns,
              .activity = stretch.activity});
  }
  WhyAnswer answer = {.from_ns = range.from_ns - start_ns,
                      .to_ns = std::min(window.paths_to_ns, until_ns) - start_ns};
  sums.Tell(answer);
  return answer;
}

}  // namespace

absl::StatusOr<WhyAnswer> PathWithin(const Timeline& timeline, const RecordedPhases& phases,
                                     EntityId thread, uint64_t from_ns, uint64_t to_ns,
                                     int threads) {
  return PathUntil(timeline, phases, thread,
                   RangeOf(timeline.start_ns(), timeline.end_ns(), from_ns, to_ns), UINT64_MAX,
                   threads);
}

absl::StatusOr<WhyAnswer> WhyWait(const Timeline& timeline, const RecordedPhases& phases,
                                  EntityId thread, uint64_t at_ns, int threads) {
  if (thread >= timeline.thread_count())
    return absl::NotFoundError(absl::StrCat("there is no thread ", thread));
  const uint64_t time_ns = timeline.start_ns() + at_ns;
  SegmentCursor at = timeline.SegmentsFrom(thread, time_ns);
  while (!at.done() && at.end_ns() <= time_ns) at.Next();
  const bool is_wait =
      !at.done() && at.start_ns() <= time_ns &&
      (at.segment().kind == SegmentKind::kWait || at.segment().kind == SegmentKind::kSpin);
  if (!is_wait)
    return absl::NotFoundError(absl::StrCat(SliceThreadLabel(timeline, thread),
                                            " does not wait at that moment: choose a wait"));
  if (at.segment().open_end != 0)
    return absl::NotFoundError("this wait had not ended when the recording did");
  // A path begins where a thread is on its way again: the nanosecond after the wait.
  return PathUntil(timeline, phases, thread, {at.start_ns(), at.end_ns() + 1}, at.end_ns(),
                   threads);
}

absl::StatusOr<WhyAnswer> SliceFrom(const ExecutionGraph& graph, const SliceRequest& request,
                                    int threads, const std::function<bool()>& stop_asked) {
  const Timeline& timeline = graph.timeline();
  const uint64_t start_ns = timeline.start_ns();
  const uint64_t length_ns = timeline.end_ns() - start_ns;
  if (request.thread >= timeline.thread_count())
    return absl::InvalidArgumentError(absl::StrCat("there is no thread ", request.thread));
  if (stop_asked && stop_asked()) return absl::CancelledError("the question was taken back");
  SliceRequest on_clock = request;
  on_clock.at_ns = start_ns + std::min(request.at_ns, length_ns);
  on_clock.from_ns = start_ns + std::min(request.from_ns, length_ns);
  on_clock.to_ns = start_ns + std::min(request.to_ns, length_ns);
  WhySums sums;
  WhyAnswer answer = {.from_ns = request.at_ns, .to_ns = request.at_ns};
  SweepSlice(
      graph, on_clock,
      [&](const SliceStretch& stretch) {
        const WhyStretch told = {.thread = stretch.thread,
                                 .from_ns = stretch.from_ns - start_ns,
                                 .to_ns = stretch.to_ns - start_ns};
        answer.from_ns = std::min(answer.from_ns, told.from_ns);
        answer.to_ns = std::max(answer.to_ns, told.to_ns);
        sums.Add(told);
      },
      threads);
  sums.Tell(answer);
  return answer;
}

}  // namespace gordian
