// SPDX-License-Identifier: Apache-2.0
#include "causes/cause_events.h"

#include <algorithm>

namespace gordian {

void CauseEvents::GatherThread(const ExecutionGraph& graph, CausalScope scope, EntityId thread,
                               uint64_t from_ns, uint64_t to_ns) {
  const Timeline& timeline = graph.timeline();
  const Entity& entity = timeline.entities()[thread];
  if (entity.begin_ns >= to_ns || entity.end_ns < from_ns) return;
  if (entity.begin_ns >= from_ns && entity.end_ns > entity.begin_ns)
    Add(entity.begin_ns, {.thread = thread,
                          .value = timeline.creator(thread),
                          .other_ns = entity.begin_ns,
                          .kind = CauseEvent::Kind::kBorn,
                          .stay = Stay::kUnborn});
  CauseEvent last{.thread = thread, .kind = CauseEvent::Kind::kGone};
  const uint64_t first_ns = from_ns > entity.begin_ns ? from_ns - 1 : from_ns;
  for (SegmentCursor at = timeline.SegmentsFrom(thread, first_ns);
       !at.done() && at.start_ns() < to_ns; at.Next()) {
    if (at.end_ns() <= at.start_ns()) continue;
    const ThreadSegment& segment = at.segment();
    const StayOfThread is = StayOf(timeline, thread, at);
    last.stay = is.stay;
    last.is_wait = is.is_wait;
    last.value = is.waker;
    last.other_ns = at.end_ns();
    if (!is.is_wait) continue;
    const auto next = graph.NextOver(scope, thread, segment, at.end_ns());
    CauseEvent event{.thread = thread,
                     .value = is.waker,
                     .other_ns = at.end_ns(),
                     .stay = is.stay,
                     .is_wait = true,
                     .is_spin = segment.kind == SegmentKind::kSpin,
                     .goes_on = next.is_causal,
                     .sense = next.sense};
    if (at.start_ns() >= from_ns) Add(at.start_ns(), event);
    // One that a pause cut short has ended for this recording, too.
    const bool ends = at.end_ns() >= from_ns && at.end_ns() < to_ns && at.end_ns() < entity.end_ns;
    if (!ends) continue;
    event.kind = CauseEvent::Kind::kWaitEnds;
    event.other_ns = at.start_ns();
    Add(at.end_ns(), event);
  }
  if (entity.end_ns < to_ns && entity.end_ns > entity.begin_ns) Add(entity.end_ns, last);
}

void CauseEvents::Gather(const ExecutionGraph& graph, CausalScope scope, uint64_t from_ns,
                         uint64_t to_ns) {
  events.clear();
  order.clear();
  for (EntityId thread = 0; thread < graph.timeline().thread_count(); ++thread)
    GatherThread(graph, scope, thread, from_ns, to_ns);
  const auto crossings = graph.crossings();
  const auto first_left = std::partition_point(
      crossings.begin(), crossings.end(),
      [&](const CauseCrossing& crossing) { return crossing.from_ns < from_ns; });
  for (auto at = first_left; at != crossings.end() && at->from_ns < to_ns; ++at)
    Add(at->from_ns, {.thread = at->from,
                      .value = static_cast<uint32_t>(at - crossings.begin()),
                      .kind = CauseEvent::Kind::kLeaves});
  const auto by_end = graph.crossings_by_end();
  const auto first_there = std::partition_point(
      by_end.begin(), by_end.end(), [&](uint32_t i) { return crossings[i].to_ns < from_ns; });
  for (auto at = first_there; at != by_end.end() && crossings[*at].to_ns < to_ns; ++at)
    Add(crossings[*at].to_ns,
        {.thread = crossings[*at].to, .value = *at, .kind = CauseEvent::Kind::kArrives});
  SortByTime(order, scratch);
}

}  // namespace gordian
