// SPDX-License-Identifier: Apache-2.0
#include "analyzer/waits/timed_waits.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "analyzer/waits/thresholds.h"

namespace gordian {
namespace {

// How many segments are looked at behind a turn. Each turn is looked at anew, so a sleep that is
// begun a million times would cost a million squared. This is about twenty turns.
constexpr int kMostSegments = 64;

// Condition variables of the C library have two words side by side, at which threads wait in turn.
constexpr uint64_t kWordsOfOne = 8;  // bytes

// What is known of a thread's timed waits.
enum TimedTurns : uint8_t { kNoTurns, kTurnsGoOn, kGetItAtOnce };

bool IsOtherThanFutex(WaitObjectKind kind) {
  return kind != WaitObjectKind::kFutex && kind != WaitObjectKind::kUnknown &&
         kind != WaitObjectKind::kFault;
}

bool EndsByTimer(const ThreadSegment& segment) {
  return segment.kind == SegmentKind::kWait && segment.cause == WaitCause::kTimer;
}

// What a thread gave the waiter just behind a turn that the timer ended.
struct HandedOver {
  uint64_t begun_ns = 0;  // the waiter's wait for it
  EntityId waker = 0;
};
std::optional<HandedOver> HandedOverAtOnce(const SegmentCursor& turn, size_t threads) {
  uint64_t run_ns = 0;
  SegmentCursor at = turn;
  at.Next();
  for (int i = 0; i < kMostSegments && !at.done(); ++i, at.Next()) {
    const ThreadSegment& segment = at.segment();
    const uint64_t lasts_ns = at.end_ns() - at.start_ns();
    if (segment.kind == SegmentKind::kRun) {
      run_ns += lasts_ns;
      if (run_ns > kShortLockWaitNs) return std::nullopt;
      continue;
    }
    // (Who is woken as it goes to sleep has not slept.)
    const bool is_early = segment.kind == SegmentKind::kRunnable;
    const bool is_wait = segment.kind == SegmentKind::kWait &&
                         segment.cause == WaitCause::kThread && lasts_ns < kShortLockWaitNs;
    if (is_early && segment.waker >= threads) continue;
    if (!is_early && !is_wait) return std::nullopt;
    return HandedOver{at.start_ns(), segment.waker};
  }
  return std::nullopt;
}

// Who waits for an interpreter's lock may get it at once: the timer ends its turn, it tells the
// holder to give the lock up, and that one hands it over within microseconds, through the same
// futex. A thread of which samples show that at most of such hand-overs waited for the holder, also
// where no sample was taken. `waits` are its sampled ones; `futex_of` one by its start, 0: not
// known.
template <typename SampledWait, typename FutexOf>
bool GetsItAtOnce(const Timeline& timeline, std::span<const SampledWait> waits, FutexOf futex_of) {
  uint64_t same = 0, others = 0;
  for (const SampledWait& wait : waits) {
    const SegmentCursor at = timeline.SegmentsFrom(wait.at.thread, wait.at.start_ns);
    if (at.done() || at.start_ns() != wait.at.start_ns || !EndsByTimer(at.segment())) continue;
    const std::optional<HandedOver> next = HandedOverAtOnce(at, timeline.thread_count());
    const uint32_t next_futex = next ? futex_of(next->begun_ns) : 0;
    if (next_futex != 0) ++(next_futex == wait.object_id ? same : others);
  }
  return same > others;
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
    if (kind == WaitObjectKind::kFutex) has_turns_[sample.thread] = kTurnsGoOn;
    if (IsOtherThanFutex(kind)) has_others[sample.thread] = 1;
  }
  for (size_t thread = 0; thread < has_others.size(); ++thread)
    if (has_others[thread] != 0) has_turns_[thread] = kNoTurns;
  // One number for both words.
  std::map<std::pair<int32_t, uint64_t>, uint32_t> first_of_word;
  for (const StackSample& sample : timeline.stack_samples()) {
    if (kind_of(sample) != WaitObjectKind::kFutex || has_turns_[sample.thread] == kNoTurns)
      continue;
    const WaitObjectRecord& object = timeline.wait_objects().find(sample.object_id)->second;
    const auto [first, is_new] =
        first_of_word.try_emplace({object.tgid, object.value / kWordsOfOne}, sample.object_id);
    futexes_.push_back(
        {{sample.thread, timeline.start_ns() + sample.since_start_ns}, first->second});
  }
  std::stable_sort(futexes_.begin(), futexes_.end(),
                   [](const FutexOfWait& a, const FutexOfWait& b) { return a.at < b.at; });
  for (size_t first = 0; first < futexes_.size();) {
    const EntityId thread = futexes_[first].at.thread;
    size_t end = first;
    while (end < futexes_.size() && futexes_[end].at.thread == thread) ++end;
    const auto futex_of = [&](uint64_t start_ns) { return FutexOf(thread, start_ns); };
    const auto waits = std::span<const FutexOfWait>(futexes_).subspan(first, end - first);
    if (GetsItAtOnce(timeline, waits, futex_of)) has_turns_[thread] = kGetItAtOnce;
    first = end;
  }
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
  if (waiter >= has_turns_.size() || has_turns_[waiter] == kNoTurns || !EndsByTimer(wait.segment()))
    return std::nullopt;
  if (has_turns_[waiter] == kGetItAtOnce) {
    if (const std::optional<HandedOver> next = HandedOverAtOnce(wait, timeline_.thread_count());
        next && next->waker != waiter && next->waker < timeline_.thread_count())
      return next->waker;
  }
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
