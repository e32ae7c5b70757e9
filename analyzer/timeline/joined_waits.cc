// SPDX-License-Identifier: Apache-2.0
// False wakeups that no probe told of, put in afterwards.
//
// A thread's segments are copied over themselves, in order. A sleep to be joined takes the copy
// back to the wait before it, which from then on ends as that sleep does. Writing never overtakes
// reading, since no segment is added.
#include <algorithm>
#include <optional>

#include "analyzer/timeline/timeline.h"

namespace gordian {

void Timeline::SumUp(EntityId thread) {
  Entity& entity = entities_[thread];
  entity.unknown_ns = entity.run_ns = entity.runnable_ns = entity.wait_ns = entity.spin_ns = 0;
  for (SegmentCursor at = SegmentsFrom(thread); !at.done(); at.Next()) {
    TimeOf(entity, at.segment().kind) += at.end_ns() - at.start_ns();
  }
}

uint64_t Timeline::JoinWaits(std::span<const SleepStart> sleeps) {
  MakeAllSegments();
  piece_starts_ns_.clear();
  uint64_t joined = 0;
  while (!sleeps.empty()) {
    const EntityId thread = sleeps.front().thread;
    const auto end = std::find_if(sleeps.begin(), sleeps.end(),
                                  [thread](const SleepStart& s) { return s.thread != thread; });
    const auto count = static_cast<size_t>(end - sleeps.begin());
    if (thread < thread_count()) joined += JoinWaitsOf(thread, sleeps.first(count));
    sleeps = sleeps.subspan(count);
  }
  return joined;
}

uint64_t Timeline::JoinWaitsOf(EntityId thread, std::span<const SleepStart> sleeps) {
  struct Place {
    size_t piece = 0;
    size_t slot = 0;
  };
  const std::span<std::span<ThreadSegment>> pieces =
      std::span(pieces_).subspan(first_piece_[thread], piece_count_[thread]);
  uint64_t joined = 0;
  Place free;                 // where the next segment is written
  Place last;                 // where the latest one was
  std::optional<Place> wait;  // the latest wait
  const auto put = [&](const ThreadSegment& segment) {
    pieces[free.piece][free.slot] = segment;
    last = free;
    free = free.slot + 1 < pieces[free.piece].size() ? Place{free.piece, free.slot + 1}
                                                     : Place{free.piece + 1, 0};
  };
  for (const std::span<ThreadSegment> piece : pieces) {
    for (const ThreadSegment segment : piece) {
      const bool is_wait = segment.kind == SegmentKind::kWait;
      const bool join =
          is_wait && wait.has_value() &&
          std::binary_search(sleeps.begin(), sleeps.end(), SleepStart{thread, segment.start_ns});
      if (!join) {
        put(segment);
        if (is_wait) wait = last;
        continue;
      }
      ThreadSegment whole = pieces[wait->piece][wait->slot];
      whole.waker = segment.waker;
      whole.cause = segment.cause;
      whole.open_end = segment.open_end;
      free = *wait;
      put(whole);
      ++joined;
    }
  }
  if (joined == 0) return 0;
  pieces[last.piece] = pieces[last.piece].first(last.slot + 1);
  piece_count_[thread] = static_cast<uint32_t>(last.piece + 1);
  SumUp(thread);
  return joined;
}

}  // namespace gordian
