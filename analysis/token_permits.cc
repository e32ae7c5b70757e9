// SPDX-License-Identifier: Apache-2.0
#include "analysis/token_permits.h"

#include <algorithm>

namespace gordian {

// Fewer requests are open than there are connections, and between an answer and the next question
// clients mostly wait for each other.
TokenPermits::TokenPermits(const Timeline& timeline, const TokenTurns& turns,
                           std::span<const uint32_t> vertex_of_entity)
    : vertices_(vertex_of_entity), clients_(turns.clients.begin(), turns.clients.end()) {
  clients_.erase(kNobody);
  const auto open = turns.open_at_once.find(turns.port);
  if (open == turns.open_at_once.end() || open->second >= turns.population) return;
  struct Gaps {
    uint64_t turns = 0;
    uint64_t all_ns = 0;
    uint64_t for_permit_ns = 0;
  };
  std::map<uint32_t, Gaps> gaps;
  for (const TokenTurn& turn : turns.turns) {
    const EntityId client = turn.request->client;
    if (client >= timeline.thread_count() || turn.client_to_ns > 0) continue;
    Gaps& of_vertex = gaps[VertexOf(client)];
    ++of_vertex.turns;
    of_vertex.all_ns += turn.request->start_ns - turn.answered_ns;
    for (SegmentCursor at = timeline.SegmentsFrom(client, turn.answered_ns);
         !at.done() && at.start_ns() < turn.request->start_ns; at.Next())
      if (at.start_ns() >= turn.answered_ns && IsForPermit(client, at.segment()))
        of_vertex.for_permit_ns += std::min(at.end_ns(), turn.request->start_ns) - at.start_ns();
  }
  for (const auto& [vertex, of_vertex] : gaps)
    if (of_vertex.for_permit_ns * 2 > of_vertex.all_ns && of_vertex.turns * 2 > turns.turns.size())
      of_vertex_[vertex] = open->second;
}

bool TokenPermits::IsForPermit(EntityId client, const ThreadSegment& segment) const {
  return segment.kind == SegmentKind::kWait && segment.cause == WaitCause::kThread &&
         segment.waker != client && clients_.contains(segment.waker) &&
         VertexOf(segment.waker) == VertexOf(client);
}

}  // namespace gordian
