// SPDX-License-Identifier: Apache-2.0
#include "causes/part_slice.h"

#include <algorithm>

#include "causes/slice_sweep.h"

namespace gordian {

PartSlice PartSliceOf(const ExecutionGraph& graph, const PartRequest& request,
                      std::span<const SliceEntry> entries,
                      std::span<const OutsideMessage> messages) {
  PartSlice part;
  const SliceRequest sliced{.scope = request.scope, .edge_kinds = request.edge_kinds};
  const StretchSink sink = [&](const SliceStretch& stretch) {
    if (part.stretches.size() >= request.most_stretches) {
      part.is_cut_off = true;
    } else {
      part.stretches.push_back(stretch);
    }
  };
  SliceSweep sweep(graph, sliced, sink);
  sweep.SweepPart(request, entries, messages, part);
  const auto sort_out = [](std::vector<uint32_t>& numbers) {
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  };
  sort_out(part.reached);
  sort_out(part.wanted);
  return part;
}

// All moments of the entries are within one piece, gathered at once: parts are short.
void SliceSweep::SweepPart(const PartRequest& request, std::span<const SliceEntry> entries,
                           std::span<const OutsideMessage> messages, PartSlice& part) {
  uint64_t top_ns = request.from_ns;
  for (const SliceEntry& entry : entries) top_ns = std::max(top_ns, entry.at_ns);
  part_ = &part;
  messages_ = messages;
  entries_ = entries;
  for (EntityId thread = 0; thread < lanes_.size(); ++thread)
    lanes_[thread].is = StayBefore(graph_.timeline(), thread, top_ns + 1);
  CauseEvents piece;
  piece.messages = messages;
  const uint64_t first_ns = request.is_lowest ? request.from_ns + 1 : request.from_ns;
  piece.Gather(graph_, request_.scope, first_ns, top_ns + 1);
  for (uint32_t i = 0; i < entries.size(); ++i) {
    const SliceEntry& entry = entries[i];
    if (entry.thread < lanes_.size() && entry.at_ns >= first_ns)
      piece.Add(entry.at_ns,
                {.thread = entry.thread, .value = i, .kind = CauseEvent::Kind::kEnters});
  }
  SortByTime(piece.order, piece.scratch);
  SweepPiece(piece);
  now_ns_ = request.from_ns;
  for (EntityId thread = 0; thread < lanes_.size(); ++thread) {
    Lane& lane = lanes_[thread];
    if (!lane.in) continue;
    if (!request.is_lowest)
      part.left_off.push_back({.thread = thread, .at_ns = request.from_ns, .edge = lane.edge});
    if (lane.stretch != kNoStretch && lane.since_ns > now_ns_) {
      Close(thread);
    } else {
      lane.in = false;
    }
  }
  if (request.is_lowest) return;
  for (const auto& [index, origin] : crossing_) {
    const CauseCrossing& crossing = graph_.crossings()[index];
    part.left_off.push_back({.thread = crossing.from,
                             .at_ns = crossing.from_ns,
                             .by_turn = true,
                             .edge = crossing.edge});
  }
}

// A wait for a message ended, or its first part did: whoever sent it goes on elsewhere.
void SliceSweep::FollowOutside(const CauseEvent& event) {
  const Lane& lane = lanes_[event.thread];
  if (!lane.in) return;
  const uint32_t number = messages_[event.message].number;
  if (event.is_asked) {
    part_->wanted.push_back(number);
    return;
  }
  const CauseEdge edge =
      event.kind == CauseEvent::Kind::kArrives ? CauseEdge::kMessage : CauseEdge::kWake;
  Origin origin;
  if (Follow(lane, edge, origin)) part_->reached.push_back(number);
}

void SliceSweep::FollowEntry(const CauseEvent& event) {
  const SliceEntry& entry = entries_[event.value];
  Arrival arrival{.thread = entry.thread, .edge = entry.edge};
  arrival.origin.hops = {HopPair{}};
  if (entry.by_turn) {
    arrival.thread = Turn(kNobody, entry.thread);
  } else {
    const Stay stay = lanes_[entry.thread].is.stay;
    if (stay == Stay::kUnborn || stay == Stay::kGone) return;
  }
  if (arrival.thread == kNobody) {
    part_->asleep.push_back(entry);
  } else {
    arrivals_.push_back(std::move(arrival));
  }
}

}  // namespace gordian
