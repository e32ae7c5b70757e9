// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "analyzer/devices/request_index.h"
#include "causes/causes.h"

namespace gordian {

ExecutionGraph::ExecutionGraph(const Timeline& timeline, std::span<const ThreadPhase> phases)
    : timeline_(timeline), phases_(phases), senses_(timeline) {
  for (const MessageFlight& flight : timeline.flights()) {
    if (flight.sent_ns < flight.received_ns)
      crossings_.push_back({.from = flight.sender,
                            .to = flight.receiver,
                            .from_ns = flight.sent_ns,
                            .to_ns = flight.received_ns,
                            .edge = CauseEdge::kMessage});
  }
  if (!timeline.block_records().empty()) AddDiskCrossings();
  std::stable_sort(
      crossings_.begin(), crossings_.end(),
      [](const CauseCrossing& a, const CauseCrossing& b) { return a.from_ns < b.from_ns; });
  crossings_by_end_.resize(crossings_.size());
  std::iota(crossings_by_end_.begin(), crossings_by_end_.end(), 0u);
  std::stable_sort(
      crossings_by_end_.begin(), crossings_by_end_.end(),
      [this](uint32_t a, uint32_t b) { return crossings_[a].to_ns < crossings_[b].to_ns; });
}

void ExecutionGraph::AddDiskCrossings() {
  const RequestIndex requests(timeline_);
  for (EntityId thread = 0; thread < timeline_.thread_count(); ++thread) {
    for (SegmentCursor at = timeline_.SegmentsFrom(thread); !at.done(); at.Next()) {
      const ThreadSegment& wait = at.segment();
      const bool for_disk = wait.kind == SegmentKind::kWait && wait.cause == WaitCause::kDisk &&
                            wait.open_end == 0 && wait.waker != kNobody &&
                            at.start_ns() < at.end_ns();
      if (!for_disk) continue;
      const auto request = requests.Find(timeline_.entities()[wait.waker].device, thread,
                                         at.start_ns(), at.end_ns());
      if (!request || request->issuer >= timeline_.thread_count() ||
          request->issue_ns >= at.end_ns())
        continue;
      crossings_.push_back({.from = request->issuer,
                            .to = thread,
                            .from_ns = request->issue_ns,
                            .to_ns = at.end_ns(),
                            .edge = CauseEdge::kDisk});
    }
  }
}

std::span<const ThreadPhase> ExecutionGraph::PhasesOfThread(EntityId thread) const {
  const auto begin =
      std::partition_point(phases_.begin(), phases_.end(),
                           [&](const ThreadPhase& phase) { return phase.thread < thread; });
  const auto end = std::partition_point(
      begin, phases_.end(), [&](const ThreadPhase& phase) { return phase.thread <= thread; });
  return {begin, end};
}

ExecutionGraph::NextEdge ExecutionGraph::NextOver(CausalScope scope, EntityId thread,
                                                  const ThreadSegment& wait,
                                                  uint64_t wait_end_ns) const {
  switch (scope) {
    case CausalScope::kBurst:
      return {.is_causal = false};
    case CausalScope::kThread:
      return {.is_causal = true};
    case CausalScope::kRequest: {
      const WaitSense sense = senses_.Of(thread, wait);
      return {.is_causal = sense != WaitSense::kEvents && sense != WaitSense::kLikelyEvents,
              .sense = sense};
    }
    case CausalScope::kPhase:
      break;
  }
  if (phases_.empty()) return {.is_causal = false};
  const auto phases = PhasesOfThread(thread);
  const auto phase =
      std::partition_point(phases.begin(), phases.end(),
                           [&](const ThreadPhase& told) { return told.to_ns <= wait.start_ns; });
  return {.is_causal = phase != phases.end() && phase->from_ns <= wait.start_ns &&
                       phase->to_ns >= wait_end_ns};
}

}  // namespace gordian
