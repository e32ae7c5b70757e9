// SPDX-License-Identifier: Apache-2.0
// The walk over segments that several tables read, and the words for what stands in them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "query/table.h"

namespace gordian {

// By WaitCause.
inline constexpr std::array<std::string_view, 10> kWaitCauseNames = {
    "thread", "disk", "nic", "timer", "irq", "spin", "idle_device", "creator", "unknown", "link"};

template <size_t size, typename Kind>
std::string_view NameIn(const std::array<std::string_view, size>& names, Kind kind) {
  return names[static_cast<size_t>(kind)];
}

// The segments of threads, one after the other, within the limits on time. Both ends of a thread's
// segments rise, so it begins near the lower limits and stops behind the upper ones.
class SegmentWalk {
 public:
  SegmentWalk(const Timeline& timeline, const RowLimits& limits, Bounds begin, Bounds end)
      : timeline_(&timeline),
        threads_(AskedThreads(limits, timeline.thread_count())),
        begin_(begin),
        end_(end) {}

  bool Next() {
    if (at_) at_->Next();
    while (!at_ || at_->done() || IsBehind()) {
      if (next_thread_ == threads_.size()) return false;
      thread_ = threads_[next_thread_++];
      at_.emplace(timeline_->SegmentsFrom(thread_, FromNs()));
    }
    return true;
  }
  EntityId thread() const { return thread_; }
  const SegmentCursor& at() const { return *at_; }
  // Where the segment lies tells it from all others.
  int64_t Number() const {
    const SegmentCursor begin = timeline_->SegmentsFrom(0);
    const intptr_t first = begin.done() ? 0 : reinterpret_cast<intptr_t>(&begin.segment());
    const auto here = reinterpret_cast<intptr_t>(&at_->segment());
    return (here - first) / static_cast<intptr_t>(sizeof(ThreadSegment));
  }
  uint64_t begin_ns() const { return SinceStart(*timeline_, at_->start_ns()); }
  uint64_t end_ns() const { return SinceStart(*timeline_, at_->end_ns()); }

 private:
  bool IsBehind() const { return begin_ns() > begin_.to || end_ns() > end_.to; }
  // Segments without length end where others begin: the moment before the limit is in the last
  // segment that may be left out.
  uint64_t FromNs() const {
    const uint64_t limit = std::max(begin_.from, end_.from);
    if (limit == 0) return 0;
    return TimelineTime(*timeline_, limit - 1);
  }

  const Timeline* timeline_;
  std::vector<EntityId> threads_;
  Bounds begin_;
  Bounds end_;
  size_t next_thread_ = 0;
  EntityId thread_ = kNobody;
  std::optional<SegmentCursor> at_;
};

}  // namespace gordian
