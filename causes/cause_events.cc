// SPDX-License-Identifier: Apache-2.0
#include "causes/cause_events.h"

#include <algorithm>
#include <tuple>

namespace gordian {

uint32_t CauseEvents::MessageFor(EntityId thread, uint64_t woken_ns) const {
  const auto found =
      std::partition_point(messages.begin(), messages.end(), [&](const OutsideMessage& message) {
        return std::tie(message.receiver, message.woken_ns) < std::tie(thread, woken_ns);
      });
  const bool is_it =
      found != messages.end() && found->receiver == thread && found->woken_ns == woken_ns;
  return is_it ? static_cast<uint32_t>(found - messages.begin()) : kNoMessage;
}

void CauseEvents::AddWait(const ExecutionGraph& graph, CausalScope scope, const Range& range,
                          const Stretch& wait, uint32_t message) {
  const auto next = graph.NextOver(scope, wait.thread, wait.segment, wait.end_ns);
  CauseEvent event{.thread = wait.thread,
                   .value = wait.is.waker,
                   .other_ns = wait.end_ns,
                   .stay = wait.is.stay,
                   .is_wait = true,
                   .is_spin = wait.segment.kind == SegmentKind::kSpin,
                   .goes_on = next.is_causal,
                   .sense = next.sense,
                   .message = message};
  const uint64_t start_ns = wait.segment.start_ns;
  if (start_ns >= range.from_ns && start_ns < range.to_ns) Add(start_ns, event);
  // One that a pause cut short has ended for this recording, too.
  const bool ends = wait.end_ns >= range.from_ns && wait.end_ns < range.to_ns && wait.has_end;
  if (!ends) return;
  event.kind = CauseEvent::Kind::kWaitEnds;
  event.other_ns = start_ns;
  Add(wait.end_ns, event);
}

// As the joiner of nodes cuts it (nodes/joined_nodes.h).
void CauseEvents::AddWaitForMessage(const ExecutionGraph& graph, CausalScope scope,
                                    const Range& range, const Stretch& wait, uint32_t index) {
  const OutsideMessage& message = messages[index];
  if (message.fate != OutsideMessage::Fate::kSent) {
    const size_t first = events.size();
    AddWait(graph, scope, range, wait, kNoMessage);
    if (message.fate == OutsideMessage::Fate::kNobody || events.size() == first) return;
    CauseEvent& last = events.back();
    if (last.kind != CauseEvent::Kind::kWaitEnds) return;
    last.message = index;
    last.is_asked = true;
    last.goes_on = false;
    return;
  }
  const bool is_sent_within = message.sent_ns > wait.segment.start_ns;
  if (is_sent_within) {
    Stretch for_thread = wait;
    for_thread.end_ns = std::min(message.sent_ns, wait.end_ns);
    for_thread.has_end = for_thread.end_ns < wait.end_ns || wait.has_end;
    for_thread.segment.cause = WaitCause::kThread;
    for_thread.is.stay = Stay::kForThread;
    for_thread.is.waker = kNobody;
    AddWait(graph, scope, range, for_thread, index);
  }
  if (message.sent_ns >= wait.end_ns) return;
  Stretch for_link = wait;
  if (is_sent_within) for_link.segment.start_ns = message.sent_ns;
  for_link.segment.cause = WaitCause::kLink;
  for_link.is.stay = Stay::kLink;
  for_link.is.waker = kNobody;
  AddWait(graph, scope, range, for_link, kNoMessage);
  if (wait.end_ns >= range.from_ns && wait.end_ns < range.to_ns)
    Add(wait.end_ns, {.thread = wait.thread, .kind = CauseEvent::Kind::kArrives, .message = index});
}

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
    const Stretch wait{.thread = thread,
                       .segment = segment,
                       .end_ns = at.end_ns(),
                       .has_end = at.end_ns() < entity.end_ns,
                       .is = is};
    const bool is_for_packet =
        segment.kind == SegmentKind::kWait && segment.cause == WaitCause::kNic;
    const uint32_t message =
        is_for_packet && !messages.empty() ? MessageFor(thread, at.end_ns()) : kNoMessage;
    if (message == kNoMessage) {
      AddWait(graph, scope, {from_ns, to_ns}, wait, kNoMessage);
    } else {
      AddWaitForMessage(graph, scope, {from_ns, to_ns}, wait, message);
    }
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
