// SPDX-License-Identifier: Apache-2.0
#include "views/moments.h"

#include <algorithm>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "analysis/slice_names.h"
#include "analyzer/waits/stays.h"
#include "causes/span_cause.h"
#include "report/segment_words.h"
#include "trace/wait_object.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

// The first look for an effect; each next one is four times as far.
constexpr uint64_t kFirstLookNs = 1'000'000;
// Wakes of others are found by reading all threads' segments: a tenth of a second or so.
constexpr uint64_t kMostSegmentsRead = 20'000'000;

bool IsWait(const ThreadSegment& segment) {
  return segment.kind == SegmentKind::kWait || segment.kind == SegmentKind::kSpin;
}

// The segment of the thread that holds that moment; of its last moment the last one.
SegmentCursor SegmentAt(const Timeline& timeline, EntityId thread, uint64_t at_ns) {
  SegmentCursor at = timeline.SegmentsFrom(thread, at_ns);
  while (!at.done() && at.end_ns() <= at_ns) at.Next();
  return at;
}

std::string WakerPhrase(const Timeline& timeline, EntityId waker) {
  const Entity& entity = timeline.entities()[waker];
  switch (entity.kind) {
    case EntityKind::kDisk:
      return absl::StrCat("the disk ", CleanText(entity.name));
    case EntityKind::kNic:
      return absl::StrCat("data on the interface ", CleanText(entity.name));
    case EntityKind::kTimer:
      return "a timer";
    case EntityKind::kIrq:
      return absl::StrCat("the interrupt ", CleanText(entity.name));
    case EntityKind::kUnknown:
      return "a cause that is not known";
    case EntityKind::kLink:
      return absl::StrCat("a message on the way ", CleanText(entity.name));
    default:
      return waker < timeline.thread_count() ? SliceThreadLabel(timeline, waker)
                                             : CleanText(entity.name);
  }
}

std::string SentenceOf(const Timeline& timeline, const Moment& moment) {
  const std::string length = FormatDuration(moment.end_ns - moment.start_ns);
  switch (moment.kind) {
    case SegmentKind::kRun:
      return absl::StrCat("ran for ", length, " on CPU ", moment.state);
    case SegmentKind::kRunnable:
      return absl::StrCat("was ready for ", length, " and had no CPU");
    case SegmentKind::kUnknown:
      return absl::StrCat("did what the recording does not tell for ", length);
    case SegmentKind::kWait:
    case SegmentKind::kSpin:
      break;
  }
  std::string text = absl::StrCat(moment.kind == SegmentKind::kSpin ? "spun " : "waited ", length);
  if (moment.waker != kNobody) absl::StrAppend(&text, " for ", WakerPhrase(timeline, moment.waker));
  if (moment.open_end) text += " and still did at the end";
  if (!moment.object.empty()) absl::StrAppend(&text, ": ", moment.object);
  return text;
}

}  // namespace

Moments::Moments(const ExecutionGraph& graph, const Code& code)
    : graph_(graph), timeline_(graph.timeline()), code_(code) {
  const auto samples = timeline_.stack_samples();
  for (uint32_t i = 0; i < samples.size(); ++i) {
    if (samples[i].moment() == StackMoment::kWait) wait_samples_.push_back(i);
  }
  std::sort(wait_samples_.begin(), wait_samples_.end(), [&](uint32_t a, uint32_t b) {
    const auto key = [&](uint32_t i) {
      return std::tuple(samples[i].thread, uint64_t{samples[i].since_start_ns}, i);
    };
    return key(a) < key(b);
  });
}

void Moments::AddSample(Moment& moment) const {
  const auto samples = timeline_.stack_samples();
  const auto found =
      std::partition_point(wait_samples_.begin(), wait_samples_.end(), [&](uint32_t i) {
        return std::tuple(samples[i].thread, uint64_t{samples[i].since_start_ns}) <
               std::tuple(moment.thread, moment.start_ns);
      });
  if (found == wait_samples_.end()) return;
  const StackSample& sample = samples[*found];
  if (sample.thread != moment.thread || sample.since_start_ns != moment.start_ns) return;
  const auto object = timeline_.wait_objects().find(sample.object_id);
  if (object != timeline_.wait_objects().end())
    moment.object = CleanText(WaitObjectText(object->second));
  if (code_.IsDefined(sample.stack_id))
    moment.story = CleanText(StoryOf(code_.PathOf(sample.stack_id, StackSide::kWaiter), code_));
}

absl::StatusOr<Moment> Moments::MomentOf(EntityId thread, uint64_t at_ns) const {
  const uint64_t start_ns = timeline_.start_ns();
  if (thread >= timeline_.thread_count())
    return absl::NotFoundError(absl::StrCat("there is no thread ", thread));
  SegmentCursor at = SegmentAt(timeline_, thread, start_ns + at_ns);
  if (at.done() || at.start_ns() > start_ns + at_ns)
    return absl::NotFoundError(
        absl::StrCat(SliceThreadLabel(timeline_, thread), " does not live then"));
  const ThreadSegment& segment = at.segment();
  Moment moment = {.thread = thread,
                   .start_ns = at.start_ns() - start_ns,
                   .end_ns = at.end_ns() - start_ns,
                   .kind = segment.kind,
                   .cause = IsWait(segment) ? segment.cause : WaitCause::kUnknown,
                   .state = segment.state,
                   .open_start = segment.open_start != 0,
                   .open_end = segment.open_end != 0,
                   .waker = IsWait(segment) ? segment.waker : kNobody};
  if (IsWait(segment)) AddSample(moment);
  moment.back = BackOf(thread, start_ns + at_ns);
  moment.sentence = SentenceOf(timeline_, moment);
  return moment;
}

std::optional<MomentStep> Moments::BackOf(EntityId thread, uint64_t at_ns) const {
  SegmentCursor at = SegmentAt(timeline_, thread, at_ns);
  if (at.done()) return std::nullopt;
  SpanCause cause;
  if (IsWait(at.segment())) {
    if (at.segment().open_end != 0) return std::nullopt;
    cause = CauseOfWaitEnd(graph_, thread, at);
  } else {
    // The last wait before it: walked to from further and further back.
    const uint64_t begin_ns = timeline_.entities()[thread].begin_ns;
    std::optional<SegmentCursor> wait;
    for (uint64_t back_ns = kFirstLookNs;; back_ns *= 4) {
      const uint64_t from_ns = at_ns - std::min(back_ns, at_ns - begin_ns);
      for (SegmentCursor before = timeline_.SegmentsFrom(thread, from_ns);
           !before.done() && before.start_ns() < at.start_ns(); before.Next()) {
        if (IsWait(before.segment())) wait = before;
      }
      if (wait || from_ns == begin_ns) break;
    }
    cause = wait ? CauseOfWaitEnd(graph_, thread, *wait) : CauseOfBirth(graph_, thread);
  }
  if (!cause.edge) return std::nullopt;
  // What ends at that moment is what it did until then.
  const uint64_t until_ns = std::max(cause.from_ns, timeline_.start_ns() + 1) - 1;
  return MomentStep{cause.from, until_ns - timeline_.start_ns(), *cause.edge};
}

std::optional<MomentStep> Moments::Forward(EntityId thread, uint64_t at_ns,
                                           const std::function<bool()>& stop_asked) const {
  if (thread >= timeline_.thread_count()) return std::nullopt;
  const uint64_t start_ns = timeline_.start_ns();
  SegmentCursor at = SegmentAt(timeline_, thread, start_ns + at_ns);
  // Of a wait: from its end on.
  while (!at.done() && IsWait(at.segment())) at.Next();
  if (at.done()) return std::nullopt;
  uint64_t from_ns = std::max(at.start_ns(), start_ns + at_ns);
  // Until it waits again. (A wake may come at the moment at which the waker goes to wait.)
  uint64_t to_ns = at.end_ns();
  for (SegmentCursor next = at; !next.done() && !IsWait(next.segment()); next.Next())
    to_ns = next.end_ns();
  std::optional<MomentStep> first;
  const auto take = [&](EntityId woken, uint64_t woken_ns, CauseEdge edge) {
    if (first && start_ns + first->at_ns <= woken_ns) return;
    first = MomentStep{woken, woken_ns - start_ns, edge};
  };
  const auto& entities = timeline_.entities();
  for (uint64_t look_ns = kFirstLookNs; !first && from_ns <= to_ns; look_ns *= 4) {
    uint64_t until_ns = std::min(to_ns, from_ns + look_ns);
    for (EntityId other = 0; other < timeline_.thread_count(); ++other) {
      if (stop_asked && other % 1024 == 0 && stop_asked()) return first;
      if (other == thread || entities[other].end_ns < from_ns) continue;
      if (entities[other].begin_ns >= from_ns && entities[other].begin_ns <= until_ns &&
          timeline_.creator(other) == thread)
        take(other, entities[other].begin_ns, CauseEdge::kCreate);
      if (first) until_ns = std::min(until_ns, start_ns + first->at_ns);
      for (SegmentCursor of = timeline_.SegmentsFrom(other, from_ns > 0 ? from_ns - 1 : 0);
           !of.done() && of.start_ns() <= until_ns; of.Next()) {
        if (!IsWait(of.segment()) || of.segment().waker != thread || of.segment().open_end != 0)
          continue;
        if (of.end_ns() < from_ns || of.end_ns() > until_ns) continue;
        const bool is_spin = of.segment().kind == SegmentKind::kSpin;
        take(other, of.end_ns(), is_spin ? CauseEdge::kLock : CauseEdge::kWake);
        break;
      }
    }
    for (const MessageFlight& flight : timeline_.flights()) {
      if (flight.sender == thread && flight.sent_ns >= from_ns && flight.sent_ns <= until_ns)
        take(flight.receiver, flight.received_ns, CauseEdge::kMessage);
    }
    if (until_ns == to_ns) break;
    from_ns = until_ns + 1;
  }
  return first;
}

WakesAnswer WakesOf(const Timeline& timeline, EntityId thread, uint64_t from_ns, uint64_t to_ns,
                    const std::function<bool()>& stop_asked) {
  WakesAnswer answer;
  if (thread >= timeline.thread_count()) return answer;
  const uint64_t start_ns = timeline.start_ns();
  const uint64_t until_ns = start_ns + to_ns;
  uint64_t read = 0;
  const auto add_of = [&](EntityId waiter, EntityId by) {
    for (SegmentCursor at = timeline.SegmentsFrom(waiter, start_ns + from_ns);
         !at.done() && at.start_ns() < until_ns && !answer.is_cut; at.Next()) {
      answer.is_cut = ++read > kMostSegmentsRead || answer.arrows.size() >= kMostArrows;
      const ThreadSegment& segment = at.segment();
      if (!IsWait(segment) || segment.open_end != 0 || segment.waker == kNobody) continue;
      if ((by != kNobody && segment.waker != by) || at.end_ns() >= until_ns) continue;
      answer.arrows.push_back({segment.waker, waiter, at.end_ns() - start_ns});
    }
  };
  add_of(thread, kNobody);
  for (EntityId other = 0; other < timeline.thread_count() && !answer.is_cut; ++other) {
    if (stop_asked && other % 1024 == 0 && stop_asked()) break;
    if (other != thread) add_of(other, thread);
  }
  std::stable_sort(answer.arrows.begin(), answer.arrows.end(),
                   [](const WakeArrow& a, const WakeArrow& b) { return a.at_ns < b.at_ns; });
  return answer;
}

}  // namespace gordian
