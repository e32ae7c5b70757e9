// SPDX-License-Identifier: Apache-2.0
#include "analysis/token_ways.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "causes/causes.h"

namespace gordian {
namespace {

// Share of a thread's returns to a request behind work for others. From here on it is a loop of
// events, and other requests go through it while one waits.
constexpr double kRunsMeanwhile = 0.1;

// Requests that a thread has at hand, on average while it has any. With fewer it mostly has one,
// and there is nothing else to do while that waits.
constexpr double kSeveralAtHand = 1.5;
// Nanoseconds. A packet that comes to a loop of events wakes it within less.
constexpr uint64_t kWokenAtOnceNs = 100'000;

// A pool's lock, or a lock whose holders are not known, in front of a question to a server.
bool MayBeForPool(const RequestStep& step) {
  return step.kind == RequestStepKind::kLock &&
         (step.cause == RequestStepKind::kPeer || step.cause == RequestStepKind::kLock ||
          step.cause == RequestStepKind::kUnknown);
}

}  // namespace

EntityId WorkerOfStep(const Timeline& timeline, const RequestStep& step) {
  if (step.kind != RequestStepKind::kPeer) return step.thread;
  if (step.inner_thread < timeline.thread_count()) return step.inner_thread;
  if (step.cause_thread < timeline.thread_count()) return step.cause_thread;
  return step.waits_for != kNobody ? step.waits_for : step.thread;
}

EntityId DiskOfStep(const Timeline& timeline, const RequestStep& step) {
  if (step.kind == RequestStepKind::kDisk) return step.waits_for;
  const bool is_servers = step.kind == RequestStepKind::kPeer &&
                          step.cause == RequestStepKind::kDisk && step.cause_thread != kNobody &&
                          step.cause_thread >= timeline.thread_count();
  return is_servers ? step.cause_thread : kNobody;
}

RequestStepKind DeedOfStep(const RequestStep& step) {
  if (step.kind != RequestStepKind::kPeer) return step.kind;
  return step.cause == RequestStepKind::kPeer && step.inner != RequestStepKind::kUnknown
             ? step.inner
             : step.cause;
}

std::vector<uint16_t> ServersOfStep(const TokenTurns& turns, const RequestStep& step) {
  std::vector<uint16_t> ports;
  const auto add = [&](EntityId thread) {
    const uint16_t port = NestedPortOf(turns, thread);
    if (port != 0 && std::find(ports.begin(), ports.end(), port) == ports.end())
      ports.push_back(port);
  };
  if (step.kind != RequestStepKind::kPeer) {
    add(step.thread);
    return ports;
  }
  for (const EntityId thread : {step.waits_for, step.cause_thread, step.inner_thread}) add(thread);
  return ports;
}

std::vector<uint8_t> ThreadsOfTurns(const Timeline& timeline, const TokenTurns& turns) {
  std::vector<uint8_t> is_own(timeline.thread_count());
  const auto take = [&](EntityId thread) {
    if (thread < is_own.size()) is_own[thread] = 1;
  };
  for (const TokenTurn& turn : turns.turns) {
    take(turn.request->client);
    for (const RequestStep& step : turn.way) {
      take(step.thread);
      take(step.waits_for);
      take(step.cause_thread);
      take(step.inner_thread);
    }
  }
  return is_own;
}

namespace {

struct ThreadStretch {
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;
};
using StretchesOfThread = std::map<EntityId, std::vector<ThreadStretch>>;

std::vector<ThreadStretch> Joined(std::vector<ThreadStretch> stretches) {
  std::sort(stretches.begin(), stretches.end(),
            [](const ThreadStretch& a, const ThreadStretch& b) { return a.from_ns < b.from_ns; });
  std::vector<ThreadStretch> joined;
  for (const ThreadStretch& stretch : stretches) {
    if (joined.empty() || stretch.from_ns > joined.back().to_ns) {
      joined.push_back(stretch);
    } else {
      joined.back().to_ns = std::max(joined.back().to_ns, stretch.to_ns);
    }
  }
  return joined;
}

// When requests stood behind others at that thread, which had not begun to work for them.
StretchesOfThread NotBegunAt(const TokenTurns& turns) {
  StretchesOfThread all;
  std::set<EntityId> begun;
  for (const TokenTurn& turn : turns.turns) {
    begun.clear();
    for (const RequestStep& step : turn.way) {
      if (step.kind == RequestStepKind::kRun) begun.insert(step.thread);
      if (step.kind == RequestStepKind::kBehind && !begun.contains(step.thread))
        all[step.thread].push_back({step.from_ns, step.to_ns});
    }
  }
  for (auto& [thread, stretches] : all) stretches = Joined(std::move(stretches));
  return all;
}

bool IsWithin(std::span<const ThreadStretch> joined, const RequestStep& step) {
  const auto next = std::partition_point(
      joined.begin(), joined.end(),
      [&](const ThreadStretch& stretch) { return stretch.from_ns <= step.from_ns; });
  return next != joined.begin() && std::prev(next)->to_ns >= step.to_ns;
}

// Vertices whose waits on the way are mostly for events of any kind: with requests of one client at
// a time nobody comes between, but somebody could. Who slept through while others stood there, not
// begun, does not: it waits for one event in the way that others wait for any.
std::set<uint32_t> WaitersForEvents(const Timeline& timeline, const TokenTurns& turns,
                                    std::span<const uint32_t> vertex_of_entity) {
  struct Waited {
    uint64_t all_ns = 0;
    uint64_t for_events_ns = 0;
    uint64_t kept_others_ns = 0;
  };
  const StretchesOfThread not_begun = NotBegunAt(turns);
  std::map<uint32_t, Waited> waited;
  for (const TokenTurn& turn : turns.turns) {
    for (const RequestStep& step : turn.way) {
      const RequestStepKind deed = DeedOfStep(step);
      if (deed != RequestStepKind::kTimer && deed != RequestStepKind::kDisk) continue;
      const EntityId worker = WorkerOfStep(timeline, step);
      if (worker >= vertex_of_entity.size()) continue;
      Waited& of_vertex = waited[vertex_of_entity[worker]];
      of_vertex.all_ns += step.to_ns - step.from_ns;
      if (!step.for_events) continue;
      of_vertex.for_events_ns += step.to_ns - step.from_ns;
      const auto there = not_begun.find(worker);
      if (there != not_begun.end() && IsWithin(there->second, step))
        of_vertex.kept_others_ns += step.to_ns - step.from_ns;
    }
  }
  std::set<uint32_t> found;
  for (const auto& [vertex, of_vertex] : waited)
    if ((of_vertex.for_events_ns - of_vertex.kept_others_ns) * 2 > of_vertex.all_ns)
      found.insert(vertex);
  return found;
}

// Vertices whose threads sleep with a request at hand and are woken by clients with others. Who
// waits for one answer alone hears of no other request meanwhile.
std::set<uint32_t> WokenByClients(const Timeline& timeline, const TokenTurns& turns,
                                  std::span<const uint32_t> vertex_of_entity) {
  std::map<EntityId, std::vector<ThreadStretch>> at_hand;
  for (const TokenTurn& turn : turns.turns)
    at_hand[turn.request->thread].push_back({turn.request->received_ns, turn.request->answer_ns});
  const std::set<EntityId> clients(turns.clients.begin(), turns.clients.end());
  std::map<uint32_t, std::pair<uint64_t, uint64_t>> sleeps;  // all; ended by clients
  for (auto& [thread, stretches] : at_hand) {
    if (thread >= timeline.thread_count()) continue;
    auto& [all, by_clients] = sleeps[vertex_of_entity[thread]];
    stretches = Joined(std::move(stretches));
    for (const ThreadStretch& stretch : stretches) {
      for (SegmentCursor at = timeline.SegmentsFrom(thread, stretch.from_ns);
           !at.done() && at.end_ns() <= stretch.to_ns; at.Next()) {
        const ThreadSegment& segment = at.segment();
        if (segment.kind != SegmentKind::kWait || at.start_ns() < stretch.from_ns) continue;
        ++all;
        by_clients +=
            segment.cause == WaitCause::kThread && clients.contains(segment.waker) ? 1 : 0;
      }
    }
  }
  std::set<uint32_t> found;
  for (const auto& [vertex, counts] : sleeps)
    if (static_cast<double>(counts.second) > kRunsMeanwhile * static_cast<double>(counts.first))
      found.insert(vertex);
  return found;
}

// Vertices whose threads wait for other servers' answers in calls that wait for events of any kind,
// with several requests at hand: the next event may be another request. A loop that sends a waiting
// request on in the turn in which it answers another is never seen to come back to one behind
// others. Who mostly sleeps on when a request comes does not listen to it, whatever call it is in.
class AskersInLoops {
 public:
  AskersInLoops(const Timeline& timeline, const TokenTurns& turns,
                std::span<const uint32_t> vertex_of_entity)
      : timeline_(timeline), vertices_(vertex_of_entity), senses_(timeline) {
    for (const TokenTurn& turn : turns.turns) {
      const Request& request = *turn.request;
      if (request.thread >= timeline.thread_count()) continue;
      at_hand_[request.thread].push_back({request.received_ns, request.answer_ns});
      for (const RequestStep& step : turn.way)
        if (step.kind == RequestStepKind::kPeer && step.thread == request.thread) AddWaits(step);
    }
    for (auto& [thread, waits] : waits_) waits = Joined(std::move(waits));
    for (const TokenTurn& turn : turns.turns) AddArrival(*turn.request);
  }

  std::set<uint32_t> Find() {
    for (auto& [thread, stretches] : at_hand_) {
      Seen& seen = seen_[vertices_[thread]];
      seen.requests_ns += LengthOfAll(stretches);
      seen.at_hand_ns += LengthOfAll(Joined(std::move(stretches)));
    }
    std::set<uint32_t> found;
    for (const auto& [vertex, seen] : seen_)
      if (seen.for_events_ns * 2 > seen.all_ns && seen.slept_on <= seen.woken &&
          seen.requests_ns > kSeveralAtHand * seen.at_hand_ns)
        found.insert(vertex);
    return found;
  }

 private:
  struct Seen {
    uint64_t all_ns = 0;  // waits for other servers
    uint64_t for_events_ns = 0;
    uint64_t woken = 0;  // by requests that came meanwhile
    uint64_t slept_on = 0;
    double requests_ns = 0;  // at hand, each
    double at_hand_ns = 0;   // … any
  };

  static double LengthOfAll(const std::vector<ThreadStretch>& stretches) {
    double length_ns = 0;
    for (const ThreadStretch& stretch : stretches)
      length_ns += static_cast<double>(stretch.to_ns - stretch.from_ns);
    return length_ns;
  }

  void AddWaits(const RequestStep& step) {
    Seen& seen = seen_[vertices_[step.thread]];
    for (SegmentCursor at = timeline_.SegmentsFrom(step.thread, step.from_ns);
         !at.done() && at.start_ns() < step.to_ns; at.Next()) {
      if (at.segment().kind != SegmentKind::kWait) continue;
      const uint64_t from_ns = std::max(step.from_ns, at.start_ns());
      const uint64_t to_ns = std::min(step.to_ns, at.end_ns());
      if (from_ns >= to_ns) continue;
      const WaitSense sense = senses_.Of(step.thread, at.segment());
      const bool for_events = sense == WaitSense::kEvents || sense == WaitSense::kLikelyEvents;
      seen.all_ns += to_ns - from_ns;
      seen.for_events_ns += for_events ? to_ns - from_ns : 0;
      waits_[step.thread].push_back({at.start_ns(), at.end_ns()});
    }
  }

  void AddArrival(const Request& request) {
    const auto waits = waits_.find(request.thread);
    if (waits == waits_.end()) return;
    const uint64_t came_ns = request.received_ns;
    const auto next =
        std::partition_point(waits->second.begin(), waits->second.end(),
                             [&](const ThreadStretch& wait) { return wait.from_ns < came_ns; });
    if (next == waits->second.begin() || std::prev(next)->to_ns < came_ns) return;
    Seen& seen = seen_[vertices_[request.thread]];
    ++(std::prev(next)->to_ns > came_ns + kWokenAtOnceNs ? seen.slept_on : seen.woken);
  }

  const Timeline& timeline_;
  const std::span<const uint32_t> vertices_;
  const WaitSenses senses_;
  StretchesOfThread at_hand_;
  StretchesOfThread waits_;
  std::map<uint32_t, Seen> seen_;  // by vertex
};

}  // namespace

std::set<uint32_t> EventLoopsOf(const Timeline& timeline, const TokenTurns& turns,
                                std::span<const uint32_t> vertex_of_entity) {
  struct Burst {
    uint64_t from_ns = 0;
    size_t turn = 0;
  };
  std::map<EntityId, std::vector<Burst>> bursts;
  for (size_t turn = 0; turn < turns.turns.size(); ++turn) {
    for (const RequestStep& step : turns.turns[turn].way) {
      if (DeedOfStep(step) == RequestStepKind::kRun)
        bursts[WorkerOfStep(timeline, step)].push_back({step.from_ns, turn});
    }
  }
  std::map<uint32_t, std::pair<uint64_t, uint64_t>> returns;  // to a turn; behind others
  for (auto& [thread, of_thread] : bursts) {
    std::sort(of_thread.begin(), of_thread.end(), [](const Burst& a, const Burst& b) {
      return std::tie(a.from_ns, a.turn) < std::tie(b.from_ns, b.turn);
    });
    auto& [all, with_others] =
        returns[thread < vertex_of_entity.size() ? vertex_of_entity[thread] : kNobody];
    std::map<size_t, size_t> last;
    for (size_t i = 0; i < of_thread.size(); ++i) {
      const auto [found, is_first] = last.try_emplace(of_thread[i].turn, i);
      if (is_first) continue;
      ++all;
      with_others += i - found->second > 1 ? 1 : 0;
      found->second = i;
    }
  }
  std::set<uint32_t> loops = WaitersForEvents(timeline, turns, vertex_of_entity);
  if (!turns.of_phase) {
    loops.merge(WokenByClients(timeline, turns, vertex_of_entity));
    loops.merge(AskersInLoops(timeline, turns, vertex_of_entity).Find());
  }
  for (const auto& [vertex, counts] : returns)
    if (static_cast<double>(counts.second) > kRunsMeanwhile * static_cast<double>(counts.first))
      loops.insert(vertex);
  // Who marks phases says itself that it works for one at a time, whatever calls it sleeps in.
  if (turns.of_phase)
    for (const EntityId thread : turns.clients) loops.erase(vertex_of_entity[thread]);
  return loops;
}

uint16_t NestedPortOf(const TokenTurns& turns, EntityId thread) {
  const auto port = turns.port_of_server.find(thread);
  return port != turns.port_of_server.end() && port->second != turns.port ? port->second : 0;
}

std::vector<uint8_t> QueuesForConnections(const TokenTurns& turns,
                                          std::span<const RequestStep> way) {
  const auto is_nested = [&](EntityId thread) { return NestedPortOf(turns, thread) != 0; };
  std::vector<uint8_t> is_queue(way.size());
  size_t begin = 0;
  for (size_t end = 0; end < way.size(); ++end) {
    if (way[end].kind != RequestStepKind::kPeer || way[end].asked == kNoConnection) continue;
    size_t first = end;
    size_t last = begin;
    for (size_t i = begin; i < end; ++i) {
      const bool is_foreign = MayBeForPool(way[i]) || is_nested(way[i].thread) ||
                              is_nested(way[i].waits_for) || is_nested(way[i].cause_thread);
      if (!is_foreign) continue;
      first = std::min(first, i);
      last = i + 1;
    }
    for (size_t i = first; i < last; ++i) is_queue[i] = 1;
    begin = end + 1;
  }
  return is_queue;
}

std::vector<OpenStretch> QuestionsWithin(const TokenTurns& turns,
                                         std::span<const RequestStep> way) {
  std::vector<OpenStretch> questions;
  bool goes_on = false;
  for (const RequestStep& step : way) {
    const bool is_there = !ServersOfStep(turns, step).empty();
    if (is_there && goes_on) questions.back().to_ns = step.to_ns;
    if (is_there && !goes_on) questions.push_back({step.from_ns, step.to_ns});
    goes_on = is_there;
  }
  return questions;
}

}  // namespace gordian
