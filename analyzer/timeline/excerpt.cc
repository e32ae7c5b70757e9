// SPDX-License-Identifier: Apache-2.0
// A part of a recording, as if only that had been recorded.
#include <algorithm>
#include <iterator>

#include "analyzer/timeline/timeline.h"

namespace gordian {

Timeline Timeline::Excerpt(uint64_t from_ns, uint64_t to_ns) const {
  Timeline part;
  part.start_ns_ = from_ns;
  part.end_ns_ = to_ns;
  part.pauses_ = pauses_;
  part.cpus_ = cpus_;
  part.session_ = session_;
  part.entities_ = entities_;
  part.creators_ = creators_;
  part.programs_ = programs_;
  part.ended_ = ended_;
  part.exits_ = exits_;
  part.contradictions_ = contradictions_;
  part.borders_ = {to_ns + 1};
  part.nodes_ = nodes_;
  part.node_cpus_ = node_cpus_;
  part.lost_ = lost_;
  part.questions_ = questions_;
  for (Entity& entity : part.entities_) {
    // A thread that did not live meanwhile is there for no time at all, from the beginning: it is
    // not born.
    const bool is_there = entity.begin_ns < to_ns && entity.end_ns > from_ns;
    entity.begin_ns = is_there ? std::max(entity.begin_ns, from_ns) : from_ns;
    entity.end_ns = is_there ? std::min(entity.end_ns, to_ns) : from_ns;
  }
  for (EntityId thread = 0; thread < thread_count(); ++thread) {
    part.CopySegments(*this, thread);
    part.first_piece_.push_back(static_cast<uint32_t>(part.pieces_.size()));
    part.SumUp(thread);
  }
  const auto begin = std::lower_bound(
      block_records_.begin(), block_records_.end(), from_ns,
      [](const BlockRecord& record, uint64_t time_ns) { return record.time_ns < time_ns; });
  const auto end = std::find_if(begin, block_records_.end(), [to_ns](const BlockRecord& record) {
    return record.time_ns > to_ns;
  });
  part.block_records_.Append(std::span(begin, end));
  for (const MessageFlight& flight : flights_)
    if (flight.sent_ns >= from_ns && flight.received_ns <= to_ns) part.flights_.push_back(flight);
  return part;
}

void Timeline::CopySegments(const Timeline& whole, EntityId thread) {
  const Entity& entity = entities_[thread];
  std::vector<ThreadSegment> segments;
  if (entity.begin_ns < entity.end_ns) {
    for (auto at = whole.SegmentsFrom(thread, entity.begin_ns);
         !at.done() && at.start_ns() <= entity.end_ns; at.Next()) {
      // Some last for no time, and are hand-overs all the same.
      const bool is_before = at.end_ns() <= entity.begin_ns && at.start_ns() < entity.begin_ns;
      const bool is_after = at.start_ns() == entity.end_ns && at.end_ns() > entity.end_ns;
      if (is_before || is_after) continue;
      ThreadSegment segment = at.segment();
      const bool waits = segment.kind == SegmentKind::kWait;
      if (segment.start_ns < entity.begin_ns) {
        segment.start_ns = entity.begin_ns;
        if (waits) segment.open_start = 1;
      }
      if (waits && at.end_ns() > entity.end_ns) {
        segment.waker = kNobody;
        segment.open_end = 1;
      }
      segments.push_back(segment);
    }
  }
  piece_count_.push_back(segments.empty() ? 0 : 1);
  if (segments.empty()) return;
  const std::span<ThreadSegment> kept = memory_.Make<ThreadSegment>(segments.size());
  std::copy(segments.begin(), segments.end(), kept.begin());
  pieces_.push_back(kept);
}

}  // namespace gordian
