// SPDX-License-Identifier: Apache-2.0
#include "analysis/token_full.h"

#include <algorithm>
#include <map>

namespace gordian {
namespace {

// Share of a thread's time. Less than that is left for nothing more: it is what limits the rate.
constexpr double kNeverIdle = 0.9;
// Share of the requests' time in which they wait for it. A thread that is busy with its own affairs
// has none of them.
constexpr double kWaitedForMostly = 0.5;

class FullFinder {
 public:
  FullFinder(const Timeline& timeline, const TokenTurns& turns,
             std::span<const uint32_t> vertex_of_entity)
      : timeline_(timeline), turns_(turns), vertices_(vertex_of_entity) {
    for (const TokenTurn& turn : turns.turns)
      for (const EntityId thread : {turn.request->thread, turn.request->client})
        if (thread < timeline.thread_count()) {
          at_the_root_.insert(VertexOf(thread));
          programs_.insert(timeline.entities()[thread].tgid);
        }
  }

  std::vector<FullStation> Find(const std::set<uint32_t>& event_loops) const {
    std::map<uint32_t, FullStation> stations;
    std::map<uint32_t, double> lived_ns;
    const std::map<uint32_t, double> waited_ns = WaitedFor();
    const std::set<EntityId> waited_for = ThreadsWaitedFor();
    for (EntityId thread = 0; thread < timeline_.thread_count(); ++thread) {
      const uint32_t vertex = VertexOf(thread);
      const Entity& entity = timeline_.entities()[thread];
      const bool may_do_more = event_loops.contains(vertex) && !HasOneAtATime(thread);
      if (!waited_ns.contains(vertex) || !waited_for.contains(thread) ||
          at_the_root_.contains(vertex) || may_do_more || entity.kernel_thread)
        continue;
      FullStation& station = stations[vertex];
      station.vertex = vertex;
      station.node = entity.node;
      ++station.threads;
      AddBusyTime(thread, station);
      lived_ns[vertex] += static_cast<double>(entity.end_ns - entity.begin_ns);
    }
    std::vector<FullStation> full;
    for (const auto& [vertex, station] : stations)
      if (station.busy_ns > kNeverIdle * lived_ns[vertex]) full.push_back(station);
    std::stable_sort(full.begin(), full.end(), [&](const FullStation& a, const FullStation& b) {
      return waited_ns.at(a.vertex) > waited_ns.at(b.vertex);
    });
    return full;
  }

 private:
  uint32_t VertexOf(EntityId id) const {
    return id < vertices_.size() ? vertices_[id] : kNoTokenVertex;
  }

  // Others of its name are no helpers: a program's first thread, which sleeps until it is told to
  // end.
  std::set<EntityId> ThreadsWaitedFor() const {
    std::set<EntityId> threads;
    for (const TokenTurn& turn : turns_.turns)
      for (const RequestStep& step : turn.way)
        for (const EntityId thread : {step.waits_for, step.cause_thread, step.inner_thread})
          threads.insert(thread);
    return threads;
  }

  // By vertex, those that are waited for most of the time.
  std::map<uint32_t, double> WaitedFor() const {
    std::map<uint32_t, double> waited_ns;
    double all_ns = 0;
    for (const TokenTurn& turn : turns_.turns) {
      for (const RequestStep& step : turn.way) {
        const auto time_ns = static_cast<double>(step.to_ns - step.from_ns);
        all_ns += time_ns;
        std::set<uint32_t> whom;
        for (const EntityId thread : {step.waits_for, step.cause_thread, step.inner_thread})
          if (thread < timeline_.thread_count()) whom.insert(VertexOf(thread));
        for (const uint32_t vertex : whom) waited_ns[vertex] += time_ns;
      }
    }
    std::erase_if(waited_ns,
                  [&](const auto& of) { return of.second <= kWaitedForMostly * all_ns; });
    return waited_ns;
  }

  // Whatever it looks like: no two requests to it were open at once.
  bool HasOneAtATime(EntityId thread) const {
    const auto port = turns_.port_of_server.find(thread);
    if (port == turns_.port_of_server.end()) return false;
    const auto open = turns_.open_at_once.find(port->second);
    return open != turns_.open_at_once.end() && open->second <= 1;
  }

  void AddBusyTime(EntityId thread, FullStation& station) const {
    const int32_t own = timeline_.entities()[thread].tgid;
    for (SegmentCursor at = timeline_.SegmentsFrom(thread); !at.done(); at.Next()) {
      const ThreadSegment& segment = at.segment();
      if (segment.kind == SegmentKind::kUnknown) continue;
      const bool for_thread = segment.kind == SegmentKind::kWait &&
                              segment.cause == WaitCause::kThread &&
                              segment.waker < timeline_.thread_count();
      const int32_t waker = for_thread ? timeline_.entities()[segment.waker].tgid : 0;
      if (for_thread && (waker == own || programs_.contains(waker))) continue;
      const auto time_ns = static_cast<double>(at.end_ns() - at.start_ns());
      station.busy_ns += time_ns;
      if (segment.kind == SegmentKind::kWait && segment.cause == WaitCause::kTimer)
        station.slept_ns += time_ns;
    }
  }

  const Timeline& timeline_;
  const TokenTurns& turns_;
  const std::span<const uint32_t> vertices_;
  std::set<uint32_t> at_the_root_;  // vertices that ask it, or answer there
  std::set<int32_t> programs_;      // their processes
};

uint32_t SeatsOfStation(const FullStation& station, TokenModel& model) {
  for (uint32_t place = 0; place < model.seats.size(); ++place) {
    const TokenSeats& seats = model.seats[place];
    if (seats.vertex == station.vertex && !seats.is_pool && !seats.is_lock) return place;
  }
  model.seats.push_back({.vertex = station.vertex, .node = station.node});
  return static_cast<uint32_t>(model.seats.size() - 1);
}

}  // namespace

std::vector<FullStation> FullStations(const Timeline& timeline, const TokenTurns& turns,
                                      std::span<const uint32_t> vertex_of_entity,
                                      const std::set<uint32_t>& event_loops) {
  return FullFinder(timeline, turns, vertex_of_entity).Find(event_loops);
}

TokenModel WithFullStation(const TokenModel& model, const FullStation& station, double hold_ns) {
  TokenModel made = model;
  const double slept_share = station.busy_ns > 0 ? station.slept_ns / station.busy_ns : 0;
  const uint32_t place = SeatsOfStation(station, made);
  TokenSeats& seats = made.seats[place];
  seats.count = station.threads;
  seats.is_full = true;
  seats.wake_ns = seats.wake_run_ns = seats.sleep_run_ns = 0;
  const uint32_t pool = seats.one_each_of;
  made.steps.clear();
  made.first = {0};
  for (size_t request = 0; request < model.requests(); ++request) {
    for (TokenStep step : model.StepsOf(request)) {
      const bool is_seat = step.deed == TokenDeed::kTake || step.deed == TokenDeed::kGive;
      if (is_seat && (step.place == place || step.place == pool)) continue;
      // Who sleeps until one of its threads goes on stands in that line, too.
      if (!is_seat && (step.who == station.vertex || step.whom == station.vertex)) step.ns = 0;
      made.steps.push_back(step);
      if (step.deed != TokenDeed::kAsk) continue;
      const auto add = [&](TokenDeed deed, uint32_t where, double ns,
                           TokenPause pause = TokenPause::kOther) {
        made.steps.push_back(
            {.deed = deed, .pause = pause, .place = where, .who = station.vertex, .ns = ns});
      };
      if (pool != kNoTokenPlace) add(TokenDeed::kTake, pool, 0);
      add(TokenDeed::kTake, place, 0);
      add(TokenDeed::kPause, 0, hold_ns * slept_share, TokenPause::kTimer);
      add(TokenDeed::kPause, 0, hold_ns * (1 - slept_share));
      add(TokenDeed::kGive, place, 0);
      if (pool != kNoTokenPlace) add(TokenDeed::kGive, pool, 0);
    }
    made.EndRequest();
  }
  return made;
}

}  // namespace gordian
