// SPDX-License-Identifier: Apache-2.0
#include "analyzer/waits/waits.h"

#include <algorithm>

#include "analyzer/waits/short_lived.h"

namespace gordian {
namespace {

bool IsWait(SegmentKind kind) { return kind == SegmentKind::kWait || kind == SegmentKind::kSpin; }

}  // namespace

Waits::Waits(const Timeline& timeline, const WaitsOptions& options)
    : timeline_(timeline),
      entities_(timeline.entities()),
      merged_into_(entities_.size(), kNobody),
      timed_waits_(timeline),
      first_virtual_(static_cast<EntityId>(entities_.size())) {
  for (EntityId thread = 0; thread < timeline.thread_count(); ++thread)
    is_kernel_thread_.push_back(entities_[thread].kernel_thread ? 1 : 0);
  if (options.merge_short_lived) ShortLivedThreads(*this).Merge(options.threads);
}

SegmentCursor Waits::SegmentsFrom(EntityId thread, uint64_t from_ns) const {
  if (thread < timeline_.thread_count()) return timeline_.SegmentsFrom(thread, from_ns);
  if (thread < first_virtual_) return {{}, from_ns, timeline_.end_ns()};
  const VirtualThread& virtual_thread = virtual_threads_[thread - first_virtual_];
  return {std::span(&virtual_thread.piece, 1), from_ns, timeline_.end_ns()};
}

EntityId Waits::CountsFor(EntityId waiter, const SegmentCursor& wait) const {
  const ThreadSegment& segment = wait.segment();
  if (segment.cause != WaitCause::kTimer) return Representative(segment.waker);
  return Representative(timed_waits_.EndedAtLastBy(waiter, wait).value_or(segment.waker));
}

template <typename Each>
void Waits::ForEachThread(uint64_t from_ns, uint64_t to_ns, Each each) const {
  const auto count = static_cast<EntityId>(entities_.size());
  for (EntityId thread = 0; thread < count; ++thread) {
    if (thread == timeline_.thread_count()) thread = first_virtual_;
    if (thread >= count) break;
    const Entity& entity = entities_[thread];
    if (entity.begin_ns < to_ns && entity.end_ns > from_ns) each(thread);
  }
}

inline void Waits::AddWaitsOf(EntityId waiter, const SegmentCursor& at, uint64_t from_ns,
                              uint64_t to_ns, std::vector<WaitInterval>& waits) const {
  const ThreadSegment& segment = at.segment();
  if (!IsWait(segment.kind) || segment.waker == kNobody) return;
  if (at.end_ns() <= from_ns || at.end_ns() == at.start_ns()) return;
  const EntityId waker = CountsFor(waiter, at);
  if (waker == waiter) return;
  uint64_t start_ns = at.start_ns();
  const auto add = [&](uint64_t end_ns, EntityId ended_by) {
    if (start_ns < end_ns && start_ns < to_ns && end_ns > from_ns)
      waits.push_back({start_ns, end_ns, waiter, ended_by});
    start_ns = end_ns;
  };
  if (segment.waker < is_kernel_thread_.size() && is_kernel_thread_[segment.waker] != 0) {
    if (const std::optional<PassedOn> passed_on = PassedOnEnd(at))
      add(passed_on->from_ns, passed_on->disk);
  }
  add(at.end_ns(), waker);
}

void Waits::Collect(uint64_t from_ns, uint64_t to_ns, std::vector<WaitInterval>& waits) const {
  ForEachThread(from_ns, to_ns, [&](EntityId waiter) {
    if (merged_into_[waiter] != kNobody) return;
    for (SegmentCursor at = SegmentsFrom(waiter, from_ns); !at.done() && at.start_ns() < to_ns;
         at.Next()) {
      AddWaitsOf(waiter, at, from_ns, to_ns, waits);
    }
  });
}

void Waits::CollectAll(uint64_t from_ns, uint64_t to_ns, WindowOfThreads& window) const {
  window.waits.clear();
  window.ledgers.clear();
  window.disk_waits.clear();
  ForEachThread(from_ns, to_ns,
                [&](EntityId thread) { AddThread(thread, from_ns, to_ns, window); });
}

inline void Waits::AddThread(EntityId thread, uint64_t from_ns, uint64_t to_ns,
                             WindowOfThreads& window) const {
  const bool merged = merged_into_[thread] != kNobody;
  const bool single = thread < first_virtual_;
  Ledger ledger{.thread = thread};
  bool changed = false;
  SegmentCursor at = SegmentsFrom(thread, from_ns);
  if (!at.done()) ledger.at_start = at.segment().kind;
  // Whole lengths are added up; what lies outside of the window is at the first and last segment.
  const uint64_t before_ns = !at.done() && at.start_ns() < std::min(from_ns, at.end_ns())
                                 ? std::min(from_ns, at.end_ns()) - at.start_ns()
                                 : 0;
  uint64_t last_end_ns = 0;
  for (; !at.done() && at.start_ns() < to_ns; at.Next()) {
    const ThreadSegment& segment = at.segment();
    ledger.at_end = segment.kind;
    changed |= at.start_ns() > from_ns;
    last_end_ns = std::max(at.start_ns(), at.end_ns());
    ledger.time_ns[static_cast<size_t>(segment.kind)] += last_end_ns - at.start_ns();
    if (!IsWait(segment.kind)) continue;
    if (!merged) AddWaitsOf(thread, at, from_ns, to_ns, window.waits);
    const bool for_disk = segment.kind == SegmentKind::kWait && segment.cause == WaitCause::kDisk;
    if (for_disk && single)
      window.disk_waits.push_back({at.start_ns(), at.end_ns(), thread, segment.waker});
  }
  ledger.time_ns[static_cast<size_t>(ledger.at_start)] -= before_ns;
  if (last_end_ns > to_ns)
    ledger.time_ns[static_cast<size_t>(ledger.at_end)] -= last_end_ns - to_ns;
  // What begins with the end of the window is its state from then on.
  for (; !at.done() && at.start_ns() == to_ns; at.Next()) {
    ledger.at_end = at.segment().kind;
    changed = true;
  }
  const Entity& entity = entities_[thread];
  const bool whole_life = entity.begin_ns >= from_ns && entity.end_ns <= to_ns;
  if (changed && !whole_life) window.ledgers.push_back(ledger);
}

std::vector<Wait> Waits::Between(EntityId waiter, EntityId waker, uint64_t from_ns,
                                 uint64_t to_ns) const {
  std::vector<Wait> waits;
  if (!IsThread(waiter)) return waits;
  for (SegmentCursor at = SegmentsFrom(waiter, from_ns); !at.done() && at.start_ns() < to_ns;
       at.Next()) {
    const ThreadSegment& segment = at.segment();
    if (!IsWait(segment.kind) || at.end_ns() <= from_ns) continue;
    Wait wait{.start_ns = at.start_ns(),
              .end_ns = at.end_ns(),
              .waiter = waiter,
              .waker = segment.waker == kNobody ? kNobody : CountsFor(waiter, at),
              .state = segment.kind == SegmentKind::kWait ? segment.state : kStateRunning,
              .cause = segment.cause,
              .open_start = segment.open_start != 0,
              .open_end = segment.open_end != 0};
    if (const std::optional<PassedOn> passed_on = PassedOnEnd(at)) {
      Wait first = wait;
      first.end_ns = wait.start_ns = passed_on->from_ns;
      first.waker = passed_on->disk;
      first.cause = WaitCause::kDisk;
      wait.open_start = false;
      if ((waker == kNobody || first.waker == waker) && first.end_ns > from_ns)
        waits.push_back(first);
      if (wait.start_ns == wait.end_ns || wait.start_ns >= to_ns) continue;
    }
    if (waker == kNobody || wait.waker == waker) waits.push_back(wait);
  }
  return waits;
}

}  // namespace gordian
