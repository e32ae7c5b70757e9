// SPDX-License-Identifier: Apache-2.0
#include "loglines/work_begin.h"

#include <algorithm>

#include "loglines/usual_wakers.h"

namespace gordian {

uint64_t WorkBegin(const ExecutionGraph& graph, EntityId thread, uint64_t at_ns,
                   uint64_t earliest_ns, int unknown_waits) {
  const Timeline& timeline = graph.timeline();
  UsualWakers wakers(timeline);
  earliest_ns = std::max(earliest_ns, timeline.entities()[thread].begin_ns);
  uint64_t from_ns = at_ns;
  while (from_ns > earliest_ns) {
    const SegmentCursor at = timeline.SegmentsFrom(thread, from_ns - 1);
    if (at.done() || at.start_ns() >= from_ns) break;
    const ThreadSegment& segment = at.segment();
    if (segment.kind == SegmentKind::kWait) {
      const ExecutionGraph::NextEdge next =
          graph.NextOver(CausalScope::kRequest, thread, segment, at.end_ns());
      const bool was_in_vain =
          segment.cause == WaitCause::kTimer &&
          wakers.AwaitedInVain(thread, segment.start_ns, at.end_ns()) != kNobody;
      if (!next.is_causal) break;
      if (next.sense == WaitSense::kNotKnown && !was_in_vain && unknown_waits-- == 0) break;
    }
    from_ns = at.start_ns();
  }
  return std::min(at_ns, std::max(from_ns, earliest_ns));
}

}  // namespace gordian
