// SPDX-License-Identifier: Apache-2.0
#include "causes/test_literal_slice.h"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "analyzer/waits/stays.h"

namespace gordian {
namespace {

// A thread between two neighbouring moments: its number is that of the first.
struct Place {
  EntityId thread = kNobody;
  size_t moment = 0;
  auto operator<=>(const Place&) const = default;  // NOLINT: clang-tidy 14 errs
};

struct LiteralWait {
  uint64_t start_ns = 0;
  uint64_t end_ns = 0;
  bool goes_on = false;
};

struct LiteralArrow {
  Place to;
  bool is_hop = false;
  bool is_message = false;
};

class LiteralExecution {
 public:
  LiteralExecution(const ExecutionGraph& graph, const SliceRequest& request)
      : graph_(graph), timeline_(graph.timeline()), request_(request) {
    FindMoments();
    for (EntityId thread = 0; thread < timeline_.thread_count(); ++thread) {
      AddThread(thread);
    }
    for (const CauseCrossing& crossing : graph.crossings()) {
      AddEdge(FindTurn(timeline_, kNobody, crossing.from, crossing.from_ns), crossing.from_ns,
              crossing.to, crossing.to_ns, crossing.edge);
    }
  }

  SliceParts Search() const {
    const uint64_t from_ns = std::max(request_.from_ns, timeline_.start_ns());
    const uint64_t to_ns = std::min(request_.to_ns, timeline_.end_ns());
    const size_t at = MomentOf(request_.at_ns);
    const Place start{request_.thread, request_.forward ? at : at - 1};
    const bool starts =
        (request_.forward || at > 0) && Lives(start) && IsWithin(start, from_ns, to_ns);
    if (!starts) return {};
    using State = std::tuple<Place, uint32_t, uint32_t>;
    std::set<State> met = {{start, 0, 0}};
    std::deque<State> next = {{start, 0, 0}};
    while (!next.empty()) {
      const auto [place, hops, messages] = next.front();
      next.pop_front();
      const auto arrows = arrows_.find(place);
      if (arrows == arrows_.end()) continue;
      for (const LiteralArrow& arrow : arrows->second) {
        const uint32_t more = hops + (arrow.is_hop && request_.max_hops != kNoHopLimit ? 1 : 0);
        const uint32_t sent =
            messages + (arrow.is_message && request_.max_network_hops != kNoHopLimit ? 1 : 0);
        if (more > request_.max_hops || sent > request_.max_network_hops) continue;
        if (!IsWithin(arrow.to, from_ns, to_ns)) continue;
        const State state{arrow.to, more, sent};
        if (met.insert(state).second) next.push_back(state);
      }
    }
    std::set<Place> places;
    for (const State& state : met) places.insert(std::get<0>(state));
    return Joined(places);
  }

 private:
  void FindMoments() {
    std::set<uint64_t> moments = {request_.at_ns, timeline_.start_ns(), timeline_.end_ns()};
    moments.insert(std::clamp(request_.from_ns, timeline_.start_ns(), timeline_.end_ns()));
    moments.insert(std::clamp(request_.to_ns, timeline_.start_ns(), timeline_.end_ns()));
    for (EntityId thread = 0; thread < timeline_.thread_count(); ++thread) {
      moments.insert(timeline_.entities()[thread].begin_ns);
      moments.insert(timeline_.entities()[thread].end_ns);
      for (SegmentCursor at = timeline_.SegmentsFrom(thread); !at.done(); at.Next())
        moments.insert({at.start_ns(), at.end_ns()});
    }
    for (const CauseCrossing& crossing : graph_.crossings())
      moments.insert({crossing.from_ns, crossing.to_ns});
    moments_.assign(moments.begin(), moments.end());
  }

  size_t MomentOf(uint64_t time_ns) const {
    return static_cast<size_t>(std::lower_bound(moments_.begin(), moments_.end(), time_ns) -
                               moments_.begin());
  }

  bool Lives(const Place& place) const {
    const Entity& entity = timeline_.entities()[place.thread];
    return place.moment + 1 < moments_.size() && entity.begin_ns <= moments_[place.moment] &&
           moments_[place.moment + 1] <= entity.end_ns;
  }

  bool IsWithin(const Place& place, uint64_t from_ns, uint64_t to_ns) const {
    return moments_[place.moment] >= from_ns && moments_[place.moment + 1] <= to_ns;
  }

  void Connect(const Place& from, const Place& to, bool is_hop, bool is_message) {
    if (!Lives(from) || !Lives(to)) return;
    const Place& source = request_.forward ? from : to;
    const Place& target = request_.forward ? to : from;
    arrows_[source].push_back({.to = target, .is_hop = is_hop, .is_message = is_message});
  }

  // From just before the one moment to just behind the other: into a wait that begins there only
  // if it is a part of the same work.
  void AddEdge(EntityId from, uint64_t from_ns, EntityId to, uint64_t to_ns, CauseEdge edge) {
    const bool asked = (request_.edge_kinds & BitOf(edge)) != 0;
    if (from == kNobody || !asked || from_ns == moments_.front()) return;
    for (const LiteralWait& wait : waits_[to]) {
      if (wait.start_ns == to_ns && !wait.goes_on) return;
    }
    Connect({from, MomentOf(from_ns) - 1}, {to, MomentOf(to_ns)}, true,
            edge == CauseEdge::kMessage);
  }

  void AddThread(EntityId thread) {
    const Entity& entity = timeline_.entities()[thread];
    if (entity.begin_ns >= entity.end_ns) return;
    std::vector<LiteralWait>& waits = waits_[thread];
    for (SegmentCursor at = timeline_.SegmentsFrom(thread); !at.done(); at.Next()) {
      const bool waits_here =
          at.segment().kind == SegmentKind::kWait || at.segment().kind == SegmentKind::kSpin;
      if (!waits_here || at.start_ns() == at.end_ns()) continue;
      waits.push_back(
          {at.start_ns(), at.end_ns(),
           graph_.NextOver(request_.scope, thread, at.segment(), at.end_ns()).is_causal});
    }
    for (size_t i = MomentOf(entity.begin_ns); i + 1 < MomentOf(entity.end_ns); ++i) {
      const bool goes_on = std::all_of(waits.begin(), waits.end(), [&](const LiteralWait& wait) {
        const bool is_border = wait.start_ns == moments_[i + 1] || wait.end_ns == moments_[i + 1];
        return !is_border || wait.goes_on;
      });
      if (goes_on) Connect({thread, i}, {thread, i + 1}, false, false);
    }
    AddEdge(FindTurn(timeline_, thread, timeline_.creator(thread), entity.begin_ns),
            entity.begin_ns, thread, entity.begin_ns, CauseEdge::kCreate);
    for (SegmentCursor at = timeline_.SegmentsFrom(thread); !at.done(); at.Next()) {
      if (at.start_ns() == at.end_ns()) continue;
      const StayOfThread is = StayOf(timeline_, thread, at);
      if (is.stay != Stay::kForThread || is.is_open) continue;
      AddEdge(FindTurn(timeline_, thread, is.waker, at.end_ns()), at.end_ns(), thread, at.end_ns(),
              at.segment().kind == SegmentKind::kSpin ? CauseEdge::kLock : CauseEdge::kWake);
    }
  }

  SliceParts Joined(const std::set<Place>& places) const {
    SliceParts parts;
    for (auto at = places.begin(); at != places.end();) {
      const auto first = at;
      size_t last = at->moment;
      for (++at; at != places.end() && at->thread == first->thread && at->moment == last + 1; ++at)
        last = at->moment;
      parts.insert({first->thread, moments_[first->moment], moments_[last + 1]});
    }
    return parts;
  }

  const ExecutionGraph& graph_;
  const Timeline& timeline_;
  const SliceRequest& request_;
  std::vector<uint64_t> moments_;
  std::map<EntityId, std::vector<LiteralWait>> waits_;
  std::map<Place, std::vector<LiteralArrow>> arrows_;
};

}  // namespace

SliceParts LiteralSlice(const ExecutionGraph& graph, const SliceRequest& request) {
  const Timeline& timeline = graph.timeline();
  if (request.at_ns < timeline.start_ns() || request.at_ns > timeline.end_ns()) return {};
  return LiteralExecution(graph, request).Search();
}

SliceParts PartsOf(const Slice& slice) {
  SliceParts parts;
  SliceParts sorted;
  for (const SliceStretch& stretch : slice.stretches)
    sorted.insert({stretch.thread, stretch.from_ns, stretch.to_ns});
  for (const auto& [thread, from_ns, to_ns] : sorted) {
    const auto last = parts.empty() ? parts.end() : std::prev(parts.end());
    const bool touches =
        last != parts.end() && std::get<0>(*last) == thread && std::get<2>(*last) == from_ns;
    const uint64_t begin_ns = touches ? std::get<1>(*last) : from_ns;
    if (touches) parts.erase(last);
    parts.insert({thread, begin_ns, to_ns});
  }
  return parts;
}

}  // namespace gordian
