// SPDX-License-Identifier: Apache-2.0
#include "causes/span_cause.h"

#include <algorithm>

#include "analyzer/waits/stays.h"

namespace gordian {
namespace {

// One that is born at this very moment, by a creator that is no cause, was nowhere before.
EntityId TurnBefore(const Timeline& timeline, EntityId thread, EntityId cause, uint64_t time_ns) {
  const EntityId turn = FindTurn(timeline, thread, cause, time_ns);
  const bool is_unborn =
      turn != kNobody && StayBefore(timeline, turn, time_ns).stay == Stay::kUnborn;
  return is_unborn ? kNobody : turn;
}

SpanCause CauseOfCrossing(const ExecutionGraph& graph, EntityId thread, uint64_t end_ns) {
  const auto crossings = graph.crossings();
  const auto by_end = graph.crossings_by_end();
  auto at = std::partition_point(by_end.begin(), by_end.end(),
                                 [&](uint32_t i) { return crossings[i].to_ns < end_ns; });
  for (; at != by_end.end() && crossings[*at].to_ns == end_ns; ++at) {
    const CauseCrossing& crossing = crossings[*at];
    if (crossing.to != thread) continue;
    const EntityId from = TurnBefore(graph.timeline(), kNobody, crossing.from, crossing.from_ns);
    if (from == kNobody) return {};
    return {.edge = crossing.edge, .from = from, .from_ns = crossing.from_ns};
  }
  return {};
}

}  // namespace

SpanCause CauseOfWaitEnd(const ExecutionGraph& graph, EntityId thread, const SegmentCursor& wait) {
  const StayOfThread is = StayOf(graph.timeline(), thread, wait);
  const uint64_t end_ns = wait.end_ns();
  if (is.stay != Stay::kForThread) return CauseOfCrossing(graph, thread, end_ns);
  const EntityId from = TurnBefore(graph.timeline(), thread, is.waker, end_ns);
  if (from == kNobody) return {};
  const bool is_spin = wait.segment().kind == SegmentKind::kSpin;
  return {.edge = is_spin ? CauseEdge::kLock : CauseEdge::kWake, .from = from, .from_ns = end_ns};
}

SpanCause CauseOfBirth(const ExecutionGraph& graph, EntityId thread) {
  const Timeline& timeline = graph.timeline();
  const uint64_t begin_ns = timeline.entities()[thread].begin_ns;
  const EntityId from = TurnBefore(timeline, thread, timeline.creator(thread), begin_ns);
  if (from == kNobody) return {};
  return {.edge = CauseEdge::kCreate, .from = from, .from_ns = begin_ns};
}

}  // namespace gordian
