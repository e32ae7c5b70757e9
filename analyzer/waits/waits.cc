#include "analyzer/waits/waits.h"

#include "analyzer/waits/short_lived.h"

namespace gordian {
namespace {

bool IsWait(SegmentKind kind) { return kind == SegmentKind::kWait || kind == SegmentKind::kSpin; }

}  // namespace

Waits::Waits(const Timeline& timeline, const WaitsOptions& options)
    : timeline_(timeline),
      entities_(timeline.entities()),
      merged_into_(entities_.size(), kNobody),
      first_virtual_(static_cast<EntityId>(entities_.size())) {
  if (options.merge_short_lived) ShortLivedThreads(*this).Merge(options.threads);
}

SegmentCursor Waits::SegmentsFrom(EntityId thread, uint64_t from_ns) const {
  if (thread < timeline_.thread_count()) return timeline_.SegmentsFrom(thread, from_ns);
  if (thread < first_virtual_) return {{}, from_ns, timeline_.end_ns()};
  const VirtualThread& virtual_thread = virtual_threads_[thread - first_virtual_];
  return {std::span(&virtual_thread.piece, 1), from_ns, timeline_.end_ns()};
}

void Waits::Collect(uint64_t from_ns, uint64_t to_ns, std::vector<WaitInterval>& waits) const {
  const auto count = static_cast<EntityId>(entities_.size());
  for (EntityId waiter = 0; waiter < count; ++waiter) {
    if (waiter == timeline_.thread_count()) waiter = first_virtual_;
    if (waiter >= count) break;
    const Entity& entity = entities_[waiter];
    if (merged_into_[waiter] != kNobody || entity.begin_ns >= to_ns || entity.end_ns <= from_ns) {
      continue;
    }
    for (SegmentCursor at = SegmentsFrom(waiter, from_ns); !at.done() && at.start_ns() < to_ns;
         at.Next()) {
      const ThreadSegment& segment = at.segment();
      if (!IsWait(segment.kind) || segment.waker == kNobody) continue;
      if (at.end_ns() <= from_ns || at.end_ns() == at.start_ns()) continue;
      const EntityId waker = Representative(segment.waker);
      if (waker != waiter) waits.push_back({at.start_ns(), at.end_ns(), waiter, waker});
    }
  }
}

std::vector<Wait> Waits::Between(EntityId waiter, EntityId waker, uint64_t from_ns,
                                 uint64_t to_ns) const {
  std::vector<Wait> waits;
  if (!IsThread(waiter)) return waits;
  for (SegmentCursor at = SegmentsFrom(waiter, from_ns); !at.done() && at.start_ns() < to_ns;
       at.Next()) {
    const ThreadSegment& segment = at.segment();
    if (!IsWait(segment.kind) || at.end_ns() <= from_ns) continue;
    const EntityId ended_by = segment.waker == kNobody ? kNobody : Representative(segment.waker);
    if (waker != kNobody && ended_by != waker) continue;
    waits.push_back({.start_ns = at.start_ns(),
                     .end_ns = at.end_ns(),
                     .waiter = waiter,
                     .waker = ended_by,
                     .state = segment.kind == SegmentKind::kWait ? segment.state : kStateRunning,
                     .cause = segment.cause,
                     .open_start = segment.open_start != 0,
                     .open_end = segment.open_end != 0});
  }
  return waits;
}

}  // namespace gordian
