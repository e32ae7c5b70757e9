// SPDX-License-Identifier: Apache-2.0
#include "causes/slice_sweep.h"

#include <algorithm>
#include <utility>

#include "base/parallel.h"

namespace gordian {

SliceSweep::SliceSweep(const ExecutionGraph& graph, const SliceRequest& request,
                       const StretchSink& sink)
    : graph_(graph),
      request_(request),
      sink_(sink),
      from_ns_(std::max(request.from_ns, graph.timeline().start_ns())),
      to_ns_(std::min(request.to_ns, graph.timeline().end_ns())),
      lanes_(graph.timeline().thread_count()) {}

// One that is born at this very moment, by a creator that is no cause, was nowhere before.
EntityId SliceSweep::Turn(EntityId thread, EntityId cause) const {
  const EntityId turn =
      HasTurn(thread, cause, now_ns_, static_cast<EntityId>(lanes_.size()),
              [this](EntityId other) -> const StayOfThread& { return lanes_[other].is; });
  return turn != kNobody && lanes_[turn].is.stay == Stay::kUnborn ? kNobody : turn;
}

bool SliceSweep::Follow(const Lane& lane, CauseEdge edge, Origin& origin) const {
  if (!lane.in || (request_.edge_kinds & BitOf(edge)) == 0) return false;
  const bool count_hops = request_.max_hops != kNoHopLimit;
  const bool count_messages = request_.max_network_hops != kNoHopLimit;
  for (HopPair pair : lane.hops) {
    if (count_hops && ++pair.hops > request_.max_hops) continue;
    if (count_messages && edge == CauseEdge::kMessage &&
        ++pair.network_hops > request_.max_network_hops)
      continue;
    origin.hops.push_back(pair);
  }
  origin.stretch = lane.stretch;
  origin.depth = lane.depth + 1;
  return !origin.hops.empty();
}

void SliceSweep::FollowForward(const CauseEvent& event) {
  Arrival arrival{.thread = event.thread};
  EntityId from = kNobody;
  switch (event.kind) {
    case CauseEvent::Kind::kWaitEnds:
      if (event.stay != Stay::kForThread) return;
      arrival.edge = event.is_spin ? CauseEdge::kLock : CauseEdge::kWake;
      from = Turn(event.thread, event.value);
      break;
    case CauseEvent::Kind::kBorn:
      arrival.edge = CauseEdge::kCreate;
      from = Turn(event.thread, event.value);
      break;
    case CauseEvent::Kind::kLeaves: {
      from = Turn(kNobody, event.thread);
      Origin origin;
      const CauseEdge edge = graph_.crossings()[event.value].edge;
      if (from != kNobody && Follow(lanes_[from], edge, origin))
        crossing_[event.value] = std::move(origin);
      return;
    }
    case CauseEvent::Kind::kArrives: {
      const auto under_way = crossing_.find(event.value);
      if (under_way == crossing_.end()) return;
      arrival.edge = graph_.crossings()[event.value].edge;
      arrival.origin = std::move(under_way->second);
      crossing_.erase(under_way);
      arrivals_.push_back(std::move(arrival));
      return;
    }
    case CauseEvent::Kind::kWaitBegins:
    case CauseEvent::Kind::kGone:
    case CauseEvent::Kind::kEnters:
      return;
  }
  if (from != kNobody && Follow(lanes_[from], arrival.edge, arrival.origin))
    arrivals_.push_back(std::move(arrival));
}

void SliceSweep::FollowBackward(const CauseEvent& event) {
  if (event.kind == CauseEvent::Kind::kEnters) return FollowEntry(event);
  if (event.kind == CauseEvent::Kind::kWaitBegins) return;
  if (event.message != kNoMessage) return FollowOutside(event);
  Arrival arrival;
  const Lane& lane = lanes_[event.thread];
  switch (event.kind) {
    case CauseEvent::Kind::kWaitEnds:
      if (event.stay != Stay::kForThread) return;
      arrival.edge = event.is_spin ? CauseEdge::kLock : CauseEdge::kWake;
      break;
    case CauseEvent::Kind::kBorn:
      arrival.edge = CauseEdge::kCreate;
      break;
    case CauseEvent::Kind::kArrives: {
      Origin origin;
      if (Follow(lane, graph_.crossings()[event.value].edge, origin))
        crossing_[event.value] = std::move(origin);
      return;
    }
    case CauseEvent::Kind::kLeaves: {
      const auto under_way = crossing_.find(event.value);
      if (under_way == crossing_.end()) return;
      arrival.thread = Turn(kNobody, event.thread);
      arrival.edge = graph_.crossings()[event.value].edge;
      arrival.origin = std::move(under_way->second);
      crossing_.erase(under_way);
      if (arrival.thread == kNobody) {
        ++counts_.doubts.causes_asleep;
        if (part_ != nullptr) part_->asleep.push_back({.thread = event.thread, .at_ns = now_ns_});
      } else {
        arrivals_.push_back(std::move(arrival));
      }
      return;
    }
    case CauseEvent::Kind::kWaitBegins:
    case CauseEvent::Kind::kGone:
    case CauseEvent::Kind::kEnters:
      return;
  }
  if (!Follow(lane, arrival.edge, arrival.origin)) return;
  arrival.thread = Turn(event.thread, event.value);
  if (arrival.thread == kNobody) {
    ++counts_.doubts.causes_asleep;
    if (part_ != nullptr) part_->asleep.push_back({.thread = event.thread, .at_ns = now_ns_});
    return;
  }
  arrivals_.push_back(std::move(arrival));
}

void SliceSweep::CrossWait(const CauseEvent& event, bool count) {
  if (!lanes_[event.thread].in) return;
  if (count) {
    const bool by_likeness =
        event.sense == WaitSense::kLikelyWork || event.sense == WaitSense::kLikelyEvents;
    counts_.doubts.waits_by_likeness += by_likeness ? 1 : 0;
    counts_.doubts.waits_not_known += event.sense == WaitSense::kNotKnown ? 1 : 0;
  }
  if (!event.goes_on) Close(event.thread);
}

void SliceSweep::Open(EntityId thread) {
  Lane& lane = lanes_[thread];
  if (!lane.in || lane.stretch != kNoStretch) return;
  lane.stretch = next_stretch_++;
  lane.since_ns = now_ns_;
}

void SliceSweep::Close(EntityId thread) {
  Lane& lane = lanes_[thread];
  if (!std::exchange(lane.in, false)) return;
  const uint32_t number = std::exchange(lane.stretch, kNoStretch);
  if (number == kNoStretch) return;  // it came in at this very moment
  ++counts_.stretches;
  sink_({.thread = thread,
         .number = number,
         .parent = lane.parent,
         .edge = lane.edge,
         .from_ns = std::min(lane.since_ns, now_ns_),
         .to_ns = std::max(lane.since_ns, now_ns_)});
}

void SliceSweep::Enter(const Arrival& arrival) {
  Lane& lane = lanes_[arrival.thread];
  if (!lane.in) {
    lane.in = true;
    lane.edge = arrival.edge;
    lane.parent = arrival.origin.stretch;
    lane.depth = arrival.origin.depth;
    lane.hops = arrival.origin.hops;
    ++counts_.edges[static_cast<size_t>(arrival.edge)];
    counts_.hops = std::max(counts_.hops, lane.depth);
    return;
  }
  lane.depth = std::min(lane.depth, arrival.origin.depth);
  for (const HopPair& pair : arrival.origin.hops) {
    const auto no_worse = [](const HopPair& a, const HopPair& b) {
      return a.hops <= b.hops && a.network_hops <= b.network_hops;
    };
    if (std::any_of(lane.hops.begin(), lane.hops.end(),
                    [&](const HopPair& known) { return no_worse(known, pair); }))
      continue;
    lane.hops.erase(std::remove_if(lane.hops.begin(), lane.hops.end(),
                                   [&](const HopPair& known) { return no_worse(pair, known); }),
                    lane.hops.end());
    lane.hops.push_back(pair);
  }
}

void SliceSweep::EnterAll() {
  for (const Arrival& arrival : arrivals_) Enter(arrival);
}

void SliceSweep::SweepForward(std::span<const TimedIndex> moment, const CauseEvents& piece) {
  const auto for_each = [&](CauseEvent::Kind kind, auto use) {
    for (const TimedIndex& at : moment) {
      if (piece.events[at.index].kind == kind) use(piece.events[at.index]);
    }
  };
  for (const TimedIndex& at : moment) FollowForward(piece.events[at.index]);
  for_each(CauseEvent::Kind::kWaitEnds, [&](const CauseEvent& event) {
    CrossWait(event, false);
    lanes_[event.thread].is = {.stay = Stay::kRun};
  });
  for_each(CauseEvent::Kind::kBorn,
           [&](const CauseEvent& event) { lanes_[event.thread].is = {.stay = Stay::kRun}; });
  EnterAll();
  for_each(CauseEvent::Kind::kWaitBegins, [&](const CauseEvent& event) {
    CrossWait(event, true);
    lanes_[event.thread].is = {.stay = event.stay,
                               .is_wait = true,
                               .waker = event.value,
                               .start_ns = now_ns_,
                               .until_ns = event.other_ns};
  });
  for_each(CauseEvent::Kind::kGone, [&](const CauseEvent& event) {
    Close(event.thread);
    lanes_[event.thread].is = {};
  });
}

void SliceSweep::SweepBackward(std::span<const TimedIndex> moment, const CauseEvents& piece) {
  for (size_t i = moment.size(); i-- > 0;) {
    const CauseEvent& event = piece.events[moment[i].index];
    StayOfThread& is = lanes_[event.thread].is;
    switch (event.kind) {
      case CauseEvent::Kind::kWaitBegins:
        CrossWait(event, false);
        is = {.stay = Stay::kRun};
        break;
      case CauseEvent::Kind::kWaitEnds:
      case CauseEvent::Kind::kBorn:
        is = {.stay = event.stay,
              .is_wait = event.is_wait,
              .waker = event.value,
              .start_ns = event.other_ns,
              .until_ns = now_ns_};
        break;
      case CauseEvent::Kind::kGone:
        is = {.stay = event.stay,
              .is_wait = event.is_wait,
              .waker = event.value,
              .until_ns = event.other_ns};
        break;
      case CauseEvent::Kind::kLeaves:
      case CauseEvent::Kind::kArrives:
      case CauseEvent::Kind::kEnters:
        break;
    }
  }
  for (const TimedIndex& at : moment) FollowBackward(piece.events[at.index]);
  for (const TimedIndex& at : moment) {
    const CauseEvent& event = piece.events[at.index];
    if (event.kind == CauseEvent::Kind::kWaitEnds) CrossWait(event, true);
    if (event.kind == CauseEvent::Kind::kBorn) Close(event.thread);
  }
  EnterAll();
}

void SliceSweep::SweepPiece(const CauseEvents& piece) {
  const std::span<const TimedIndex> order(piece.order);
  const auto sweep = [&](size_t begin, size_t end) {
    now_ns_ = order[begin].time_ns;
    arrivals_.clear();
    if (request_.forward) {
      SweepForward(order.subspan(begin, end - begin), piece);
    } else {
      SweepBackward(order.subspan(begin, end - begin), piece);
    }
    for (const Arrival& arrival : arrivals_) Open(arrival.thread);
  };
  if (request_.forward) {
    for (size_t begin = 0; begin < order.size();) {
      size_t end = begin + 1;
      while (end < order.size() && order[end].time_ns == order[begin].time_ns) ++end;
      sweep(begin, end);
      begin = end;
    }
    return;
  }
  for (size_t end = order.size(); end > 0;) {
    size_t begin = end - 1;
    while (begin > 0 && order[begin - 1].time_ns == order[end - 1].time_ns) --begin;
    sweep(begin, end);
    end = begin;
  }
}

// Pieces of about as many events each as the timeline's own, in the order of the sweep. An edge at
// the moment itself leads past it, and one at the range's border out of it.
std::vector<uint64_t> SliceSweep::Borders() const {
  const uint64_t first_ns = request_.forward ? request_.at_ns + 1 : from_ns_ + 1;
  const uint64_t end_ns = request_.forward ? to_ns_ : request_.at_ns;
  std::vector<uint64_t> borders = {first_ns};
  for (const uint64_t border_ns : graph_.timeline().borders()) {
    if (border_ns > borders.back() && border_ns < end_ns) borders.push_back(border_ns);
  }
  if (end_ns > borders.back()) borders.push_back(end_ns);
  if (!request_.forward) std::reverse(borders.begin(), borders.end());
  return borders;
}

bool SliceSweep::Start() {
  const bool within = request_.forward ? from_ns_ <= request_.at_ns && request_.at_ns < to_ns_
                                       : from_ns_ < request_.at_ns && request_.at_ns <= to_ns_;
  if (!within || request_.thread >= lanes_.size()) return false;
  const uint64_t before_ns = request_.forward ? request_.at_ns + 1 : request_.at_ns;
  for (EntityId thread = 0; thread < lanes_.size(); ++thread)
    lanes_[thread].is = StayBefore(graph_.timeline(), thread, before_ns);
  Lane& lane = lanes_[request_.thread];
  if (lane.is.stay == Stay::kUnborn || lane.is.stay == Stay::kGone) return false;
  lane.in = true;
  lane.hops = {HopPair{}};
  now_ns_ = request_.at_ns;
  Open(request_.thread);
  return true;
}

SliceCounts SliceSweep::Sweep(int threads) {
  if (!Start()) return counts_;
  const std::vector<uint64_t> borders_ns = Borders();
  pieces_.resize(static_cast<size_t>(std::max(1, threads)));
  for (size_t next = 0; next + 1 < borders_ns.size(); next += pieces_.size()) {
    const size_t count = std::min(pieces_.size(), borders_ns.size() - 1 - next);
    ParallelFor(threads, count, [&](size_t i, int /*worker*/) {
      const auto [from_ns, to_ns] = std::minmax(borders_ns[next + i], borders_ns[next + i + 1]);
      pieces_[i].Gather(graph_, request_.scope, from_ns, to_ns);
    });
    for (size_t i = 0; i < count; ++i) SweepPiece(pieces_[i]);
  }
  now_ns_ = request_.forward ? to_ns_ : from_ns_;
  for (EntityId thread = 0; thread < lanes_.size(); ++thread) Close(thread);
  return counts_;
}

SliceCounts SweepSlice(const ExecutionGraph& graph, const SliceRequest& request,
                       const StretchSink& sink, int threads) {
  return SliceSweep(graph, request, sink).Sweep(threads);
}

Slice SliceOf(const ExecutionGraph& graph, const SliceRequest& request, int threads) {
  Slice slice;
  slice.counts = SweepSlice(
      graph, request,
      [&slice](const SliceStretch& stretch) {
        if (stretch.number >= slice.stretches.size()) slice.stretches.resize(stretch.number + 1);
        slice.stretches[stretch.number] = stretch;
      },
      threads);
  return slice;
}

}  // namespace gordian
