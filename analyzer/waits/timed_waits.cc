// SPDX-License-Identifier: Apache-2.0
#include "analyzer/waits/timed_waits.h"

#include <algorithm>

#include "analyzer/waits/thresholds.h"

namespace gordian {
namespace {

// How many segments are looked at behind a turn. Each turn is looked at anew, so a sleep that is
// begun a million times would cost a million squared. This is about twenty turns.
constexpr int kMostSegments = 64;

bool IsOtherThanFutex(WaitObjectKind kind) {
  return kind != WaitObjectKind::kFutex && kind != WaitObjectKind::kUnknown &&
         kind != WaitObjectKind::kFault;
}

}  // namespace

TimedWaits::TimedWaits(const Timeline& timeline)
    : timeline_(timeline), has_turns_(timeline.thread_count()) {
  std::vector<uint8_t> has_others(timeline.thread_count());
  const auto kind_of = [&](const StackSample& sample) {
    if (sample.moment() != StackMoment::kWait || sample.object_id == 0 ||
        sample.thread >= timeline.thread_count())
      return WaitObjectKind::kUnknown;
    const auto object = timeline.wait_objects().find(sample.object_id);
    return object == timeline.wait_objects().end() ? WaitObjectKind::kUnknown : object->second.kind;
  };
  for (const StackSample& sample : timeline.stack_samples()) {
    const WaitObjectKind kind = kind_of(sample);
    if (kind == WaitObjectKind::kFutex) has_turns_[sample.thread] = 1;
    if (IsOtherThanFutex(kind)) has_others[sample.thread] = 1;
  }
  for (size_t thread = 0; thread < has_others.size(); ++thread)
    if (has_others[thread] != 0) has_turns_[thread] = 0;
  for (const StackSample& sample : timeline.stack_samples()) {
    if (kind_of(sample) != WaitObjectKind::kFutex || has_turns_[sample.thread] == 0) continue;
    futexes_.push_back(
        {{sample.thread, timeline.start_ns() + sample.since_start_ns}, sample.object_id});
  }
  std::stable_sort(futexes_.begin(), futexes_.end(),
                   [](const FutexOfWait& a, const FutexOfWait& b) { return a.at < b.at; });
}

uint32_t TimedWaits::FutexOf(EntityId waiter, uint64_t start_ns) const {
  const SleepStart key{waiter, start_ns};
  const auto found =
      std::lower_bound(futexes_.begin(), futexes_.end(), key,
                       [](const FutexOfWait& a, const SleepStart& b) { return a.at < b; });
  return found != futexes_.end() && found->at == key ? found->object_id : 0;
}

std::optional<EntityId> TimedWaits::EndedAtLastBy(EntityId waiter,
                                                  const SegmentCursor& wait) const {
  const ThreadSegment& first = wait.segment();
  if (waiter >= has_turns_.size() || has_turns_[waiter] == 0 || first.kind != SegmentKind::kWait ||
      first.cause != WaitCause::kTimer)
    return std::nullopt;
  uint32_t futex = FutexOf(waiter, wait.start_ns());
  uint64_t run_ns = 0;
  SegmentCursor at = wait;
  at.Next();
  for (int i = 0; i < kMostSegments && !at.done(); ++i, at.Next()) {
    const ThreadSegment& segment = at.segment();
    const uint64_t lasts_ns = at.end_ns() - at.start_ns();
    if (segment.kind == SegmentKind::kRunnable) continue;
    if (segment.kind == SegmentKind::kRun) {
      run_ns += lasts_ns;
      if (run_ns > kNextToNothingNs) return std::nullopt;
      continue;
    }
    if (segment.kind != SegmentKind::kWait || segment.open_end != 0) return std::nullopt;
    const bool by_thread = segment.cause == WaitCause::kThread;
    if (!by_thread && segment.cause != WaitCause::kTimer) return std::nullopt;
    if (by_thread && lasts_ns < kShortLockWaitNs) continue;  // for the mutex of the look
    run_ns = 0;
    const uint32_t next = FutexOf(waiter, at.start_ns());
    if (futex != 0 && next != 0 && next != futex) return std::nullopt;
    if (futex == 0) futex = next;
    if (by_thread) return segment.waker == waiter ? std::nullopt : std::optional(segment.waker);
  }
  return std::nullopt;
}

}  // namespace gordian
