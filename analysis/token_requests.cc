// SPDX-License-Identifier: Apache-2.0
#include "analysis/token_requests.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "analysis/recorded_flows.h"
#include "analysis/token_clock.h"
#include "analysis/token_full.h"
#include "analysis/token_helpers.h"
#include "analysis/token_locks.h"
#include "analysis/token_miss.h"
#include "analysis/token_pace.h"
#include "analysis/token_sleeps.h"
#include "analysis/token_teller.h"
#include "analysis/token_turns.h"
#include "analysis/token_ways.h"
#include "analysis/token_work_givers.h"
#include "whatif/paths/paths.h"

namespace gordian {
namespace {

// Share of the requests. A thread that fewer come to (a kernel's worker, a collector) works mostly
// for something else.
constexpr double kRareStation = 0.05;

// Of CPU time in calls, of one kind. More is no cost of sleeping: the calls are the work.
constexpr double kMostCallShare = 0.5;

// Loops of events that share out so many connections at random seldom have one each: 4!/4^4 is less
// than one in ten.
constexpr size_t kFewestOfOneEach = 4;

class TokenSettler {
 public:
  TokenSettler(const RecordedForTokens& recorded, bool queues_in_packets)
      : recorded_(recorded),
        timeline_(recorded.timeline),
        turns_(TurnsOfRoot(recorded.timeline, recorded.found, recorded.walk,
                           recorded.vertex_of_entity, {recorded.phases, recorded.phase})),
        event_loops_(EventLoopsOf(timeline_, turns_, recorded.vertex_of_entity)),
        locks_(LocksOfTurns(timeline_, turns_, recorded.vertex_of_entity, event_loops_)),
        queues_(timeline_, turns_),
        told_(TellTokens(timeline_, turns_, recorded.vertex_of_entity, event_loops_, locks_,
                         queues_in_packets ? &queues_ : nullptr)) {}

  bool stood_in_line() const { return told_.stood_in_line; }

  absl::StatusOr<TokenModel> Settle() {
    if (turns_.turns.empty())
      return absl::FailedPreconditionError(recorded_.phase.empty()
                                               ? "no requests were found in packets"
                                               : "no thread went through that phase twice");
    SettleSeats();
    SettleLocks();
    SettlePools();
    SettleStops();
    SettleAskers();
    TokenModel& model = told_.model;
    model.population = turns_.population;
    model.closed_share = turns_.closed_share;
    model.served_on_share = turns_.served_on_share;
    model.may_carry_several = turns_.may_carry_several;
    model.port = turns_.port;
    model.service = turns_.service;
    model.is_private = turns_.private_ports.contains(turns_.port);
    double response_ns = 0;
    for (const TokenTurn& turn : turns_.turns)
      response_ns += static_cast<double>(turn.request->latency_ns());
    model.recorded_response_ns = response_ns / static_cast<double>(turns_.turns.size());
    model.recorded_rate = static_cast<double>(turns_.requests) * 1e9 / span_ns();
    SettleNodes();
    SettlePace();
    SettleClocks(ClockedClients(timeline_, turns_, recorded_.vertex_of_entity), span_ns(), model);
    SettleSleeps();
    SettleFullStation();
    SettleHelpers(ThreadsByVertex(), event_loops_,
                  WorkGivenToPools(timeline_, recorded_.stacks, recorded_.vertex_of_entity), model);
    return std::move(model);
  }

 private:
  double span_ns() const {
    return static_cast<double>(std::max<uint64_t>(1, timeline_.end_ns() - timeline_.start_ns()));
  }
  uint32_t VertexOf(EntityId id) const {
    return id < recorded_.vertex_of_entity.size() ? recorded_.vertex_of_entity[id] : kNoTokenVertex;
  }

  // Of its CPU time, in the calls in which it goes to sleep, or wakes others.
  double ShareOfCalls(uint32_t vertex, bool of_waking) const {
    double share = 0;
    for (const SleepCost& cost : sleep_costs_)
      if (cost.vertex == vertex && cost.of_waking == of_waking) share += cost.call_share;
    return std::min(share, kMostCallShare);
  }
  uint64_t SleepsOf(EntityId thread) const {
    uint64_t sleeps = 0;
    for (SegmentCursor at = timeline_.SegmentsFrom(thread); !at.done(); at.Next())
      sleeps += at.segment().kind == SegmentKind::kWait ? 1 : 0;
    return sleeps;
  }

  bool IsLoop(uint32_t vertex) const {
    return event_loops_.contains(vertex) ||
           std::any_of(loop_shares_.begin(), loop_shares_.end(), [vertex](const LoopShare& loop) {
             return loop.from == vertex && loop.share > kMostlyInLoop;
           });
  }

  // A thread for each connection of the root, which waits for it alone.
  bool IsOnePerConnection(uint32_t vertex, const std::set<EntityId>& threads) const {
    std::map<EntityId, std::set<uint32_t>> connections;
    std::set<uint32_t> all;
    for (const TokenTurn& turn : turns_.turns) {
      if (!threads.contains(turn.request->thread)) continue;
      connections[turn.request->thread].insert(turn.request->connection);
      all.insert(turn.request->connection);
    }
    if (connections.empty() ||
        std::any_of(connections.begin(), connections.end(),
                    [](const auto& of_thread) { return of_thread.second.size() != 1; }))
      return false;
    // Some wait for their client in the calls that loops of events make (PostgreSQL).
    return !IsLoop(vertex) ||
           (connections.size() >= kFewestOfOneEach && all.size() == connections.size());
  }

  // The connections to these threads' server, if there is one of them for each.
  uint32_t PoolOfOneEach(uint32_t vertex, const std::set<EntityId>& threads) const {
    if (IsLoop(vertex)) return kNoTokenPlace;
    uint16_t port = 0;
    for (const EntityId thread : threads) {
      const auto its = turns_.port_of_server.find(thread);
      if (its == turns_.port_of_server.end() || !turns_.on_one_connection.contains(thread) ||
          (port != 0 && port != its->second))
        return kNoTokenPlace;
      port = its->second;
    }
    const auto pool = told_.pools.find(port);
    return pool == told_.pools.end() ? kNoTokenPlace : pool->second;
  }

  void SettleSeats() {
    for (const auto& [vertex, seen] : told_.seen) SettleSeatsOf(vertex, seen);
  }

  void SettleSeatsOf(uint32_t vertex, const SeatsSeen& seen) {
    TokenSeats& seats = told_.model.seats[seen.place];
    seats.count = static_cast<uint32_t>(seen.threads.size());
    seats.grows = IsOnePerConnection(vertex, seen.threads);
    // Alike threads may be several vertices, by what they happened to wait for. A request that is
    // told of one of these finds a thread as any other.
    if (seats.grows) seats.count = std::max(seats.count, turns_.population);
    seats.one_each_of = PoolOfOneEach(vertex, seen.threads);
    // A thread may still be awake though it works for nobody.
    const auto idle_takes = static_cast<double>(seen.takes - std::min(seen.takes, seen.behind));
    if (idle_takes > 0) seats.wake_ns = seen.wake_ns / idle_takes;
    double run_ns = 0;
    for (const EntityId thread : seen.threads)
      run_ns += static_cast<double>(timeline_.entities()[thread].run_ns);
    // Work for requests that is none of theirs on the way: it follows the answer.
    const double all =
        static_cast<double>(turns_.requests) / static_cast<double>(turns_.turns.size());
    const double behind_ns = std::max(0.0, run_ns - seen.run_ns * all) /
                             std::max(1.0, static_cast<double>(seen.takes) * all);
    const bool is_rare =
        static_cast<double>(seen.takes) < kRareStation * static_cast<double>(turns_.turns.size());
    if (is_rare) {
      rare_.insert(vertex);
      seats.count = kEndlessSeats;
      return;
    }
    // CPU time of sleeping and of waking counts where a thread is woken, or goes to sleep.
    const double sleeping = ShareOfCalls(vertex, /*of_waking=*/false);
    const double waking = ShareOfCalls(vertex, /*of_waking=*/true);
    uint64_t sleeps = 0;
    for (const EntityId thread : seen.threads) sleeps += SleepsOf(thread);
    const double told = (idle_takes + static_cast<double>(seen.sleeps)) * all;
    const double stops = std::max(static_cast<double>(sleeps), told);
    if (stops > 0) {
      // What a thread wakes it wakes on the request's way or behind it, as it runs.
      const double on_way = run_ns > 0 ? std::min(1.0, seen.run_ns * all / run_ns) : 1;
      seats.sleep_run_ns = (sleeping + waking * (1 - on_way)) * run_ns / stops;
      seats.wake_run_ns = waking * on_way * run_ns / stops;
    }
    const double rest = stops > 0 ? 1 - sleeping - waking : 1;
    for (TokenStep& step : told_.model.steps) {
      if (step.deed == TokenDeed::kGive && step.place == seen.place) step.ns = behind_ns * rest;
      if (step.deed != TokenDeed::kRun || step.who != vertex) continue;
      step.ns =
          step.pause == TokenPause::kWake ? seats.sleep_run_ns + seats.wake_run_ns : step.ns * rest;
    }
  }

  // Of a pool that is mostly not full nobody knows how large it is. The same holds for its server
  // if that has a thread for each connection. A helper and its connection are there or not.
  void SettlePools() {
    for (const auto& [port, place] : told_.pools) {
      if (turns_.never_full.contains(port)) {
        LeaveOpen(place);
      } else if (ThreadsThatAskOver(place) > told_.model.seats[place].count) {
        // Each has a connection, and most of them have to wait: something else lets no more
        // through.
        told_.model.seats[place].of_each = false;
      }
    }
  }

  uint64_t ThreadsThatAskOver(uint32_t pool) const {
    const TokenSeats& its = told_.model.seats[pool];
    uint64_t threads = 0;
    for (const auto& [vertex, seen] : told_.seen) {
      const bool asks = vertex == its.vertex ||
                        std::find(its.more_askers.begin(), its.more_askers.end(), vertex) !=
                            its.more_askers.end();
      if (asks) threads += seen.threads.size();
    }
    return threads;
  }

  void LeaveOpen(uint32_t place) {
    const TokenSeats& pool = told_.model.seats[place];
    if (pool.of_each || pool.is_private) return;
    for (uint32_t other = 0; other < told_.model.seats.size(); ++other) {
      TokenSeats& seats = told_.model.seats[other];
      const bool is_its = other == place || seats.one_each_of == place;
      if (is_its && seats.count != kEndlessSeats)
        seats.seen = std::exchange(seats.count, kEndlessSeats);
    }
  }

  // Of its requests: writes and flushes.
  bool MostlyStores(uint32_t vertex) const {
    uint64_t all = 0;
    uint64_t stores = 0;
    for (const BlockRecord& record : timeline_.block_records()) {
      if (record.complete ||
          VertexOf(timeline_.FindDevice(EntityKind::kDisk, record.device)) != vertex)
        continue;
      ++all;
      stores +=
          record.operation == BlockOperation::kWrite || record.operation == BlockOperation::kFlush
              ? 1
              : 0;
    }
    return stores * 2 > all;
  }

  // Who waits is woken, and sleeps before, as anywhere else.
  void SettleLocks() {
    for (const LockSeen& lock : told_.locks) {
      TokenSeats& seats = told_.model.seats[lock.place];
      if (lock.waits > 0) seats.wake_ns = lock.wake_ns / static_cast<double>(lock.waits);
      const auto waiter = told_.seen.find(lock.waiter);
      if (waiter == told_.seen.end()) continue;
      const TokenSeats& threads = told_.model.seats[waiter->second.place];
      seats.node = threads.node;
      seats.wake_run_ns = threads.wake_run_ns + threads.sleep_run_ns;
    }
  }

  void SettleStops() {
    const auto costs = CostsOfStops(told_.visits);
    told_.model.disk_wait_run_ns = costs.size() == 2 ? costs[1].value_or(0) : 0;
    for (TokenDisk& disk : told_.model.disks) {
      disk.slots = 1;
      disk.stores = MostlyStores(disk.vertex);
    }
    // Operations that overlapped.
    std::map<uint32_t, std::vector<std::pair<uint64_t, int>>> changes;
    for (const TokenTurn& turn : turns_.turns) {
      for (const RequestStep& step : turn.way) {
        const EntityId disk = DiskOfStep(timeline_, step);
        if (disk == kNobody) continue;
        changes[told_.disks[VertexOf(disk)]].emplace_back(step.from_ns, 1);
        changes[told_.disks[VertexOf(disk)]].emplace_back(step.to_ns, -1);
      }
    }
    for (auto& [disk, of_disk] : changes) {
      std::sort(of_disk.begin(), of_disk.end());
      int64_t open = 0;
      int64_t most = 1;
      for (const auto& [time_ns, change] : of_disk) most = std::max(most, open += change);
      told_.model.disks[disk].slots = static_cast<uint32_t>(most);
    }
    // Waits for what other threads asked of the disk: there is mostly one.
    if (told_.model.disks.empty()) return;
    for (TokenStep& step : told_.model.steps)
      if (step.deed == TokenDeed::kPause && step.pause == TokenPause::kDisk)
        step.whom = told_.model.disks.front().vertex;
  }

  void SettleNodes() {
    std::set<EntityId> of_requests;
    for (const auto& [vertex, seen] : told_.seen)
      if (!rare_.contains(vertex)) of_requests.insert(seen.threads.begin(), seen.threads.end());
    for (uint32_t node = 0; node < timeline_.node_count(); ++node) {
      const auto all = static_cast<double>(timeline_.CpusOf(node));
      told_.model.nodes.push_back({.all = all, .cpus = all});
    }
    std::vector<TokenNode> left = told_.model.nodes;
    for (EntityId thread = 0; thread < timeline_.thread_count(); ++thread) {
      const Entity& entity = timeline_.entities()[thread];
      if (!of_requests.contains(thread))
        left[entity.node].cpus -= static_cast<double>(entity.run_ns) / span_ns();
    }
    for (TokenNode& node : left) node.cpus = std::max(0.1, node.cpus);
    ChooseNodes({told_.model.nodes, left});
  }

  void SettleAskers() {
    for (const EntityId client : turns_.clients) {
      const uint32_t vertex = VertexOf(client);
      if (vertex != kNoTokenVertex &&
          std::find(told_.model.askers.begin(), told_.model.askers.end(), vertex) ==
              told_.model.askers.end())
        told_.model.askers.push_back(vertex);
    }
  }

  // Requests leave a loop's timers one after the other: these are a station. The recording must
  // agree, as with all that is told anew.
  void SettlePace() {
    for (const PacedLoop& loop : PacedLoops(turns_, recorded_.vertex_of_entity, event_loops_)) {
      const double miss = Miss();
      TokenModel without = std::exchange(told_.model, {});
      told_.model =
          WithPace(without, loop.vertex, loop.busy_ns / static_cast<double>(turns_.requests));
      if (Miss() > miss + kClearlyNearerTokens) {
        told_.model = std::move(without);
        continue;
      }
      // Nobody stood in line for a connection behind it: they all stood in this line. So few were
      // in use at once for want of more to ask, not because a loop had but one.
      for (const auto& [port, place] : told_.pools) {
        if (told_.model.seats[place].vertex != loop.vertex) continue;
        told_.model.seats[place].of_each = false;
        LeaveOpen(place);
      }
    }
  }

  // A thread sleeps for requests, also where no walk led to it: two threads of a server answered at
  // once, and its asker handled both answers in one turn. Sleeps for want of work look alike, so
  // the recording must agree.
  void SettleSleeps() {
    const double miss = Miss();
    if (miss <= kClearlyNearerTokens) return;
    const std::vector<TokenStep> steps = told_.model.steps;
    for (const auto& [vertex, seen] : told_.seen) {
      if (event_loops_.contains(vertex) || rare_.contains(vertex)) continue;
      double slept_ns = 0;
      for (const EntityId thread : seen.threads) slept_ns += SleptOf(thread);
      LengthenSleeps(told_.model, vertex,
                     slept_ns * static_cast<double>(turns_.turns.size()) /
                         static_cast<double>(turns_.requests));
    }
    if (Miss() >= miss - kClearlyNearerTokens) told_.model.steps = steps;
  }

  // The simulation is faster than the recording, so it lacks what limits that. Threads that are
  // never idle can: their time is the rate's.
  void SettleFullStation() {
    const double miss = Miss();
    const double rate = PlayTokens(told_.model, kTokenRequestsOfPart).rate;
    if (miss <= kSureTokenMiss || rate <= told_.model.recorded_rate) return;
    for (const FullStation& station :
         FullStations(timeline_, turns_, recorded_.vertex_of_entity, event_loops_)) {
      TokenModel without = std::exchange(told_.model, {});
      told_.model =
          WithFullStation(without, station, station.busy_ns / static_cast<double>(turns_.requests));
      if (Miss() < miss - kClearlyNearerTokens && Miss() <= kMostTokenMiss) return;
      told_.model = std::move(without);
    }
  }

  std::vector<uint32_t> ThreadsByVertex() const {
    std::vector<uint32_t> threads;
    for (EntityId thread = 0; thread < timeline_.thread_count(); ++thread) {
      const uint32_t vertex = VertexOf(thread);
      if (vertex == kNoTokenVertex) continue;
      if (vertex >= threads.size()) threads.resize(vertex + 1);
      ++threads[vertex];
    }
    return threads;
  }

  double SleptOf(EntityId thread) const {
    double slept_ns = 0;
    for (SegmentCursor at = timeline_.SegmentsFrom(thread); !at.done(); at.Next())
      if (at.segment().kind == SegmentKind::kWait && at.segment().cause == WaitCause::kTimer)
        slept_ns += static_cast<double>(at.end_ns() - at.start_ns());
    return slept_ns;
  }

  double Miss() const { return MissOf(told_.model); }

  // The recording does not tell who came first at the CPUs. The first way counts, unless a later
  // one is clearly nearer to it.
  void ChooseNodes(std::initializer_list<std::vector<TokenNode>> ways) {
    double least = std::numeric_limits<double>::infinity();
    std::vector<TokenNode> nearest;
    for (const std::vector<TokenNode>& nodes : ways) {
      told_.model.nodes = nodes;
      const double miss = Miss();
      if (miss >= least - kClearlyNearerTokens) continue;
      least = miss;
      nearest = nodes;
    }
    told_.model.nodes = nearest;
  }

  const RecordedForTokens& recorded_;
  const Timeline& timeline_;
  const TokenTurns turns_;
  const std::set<uint32_t> event_loops_;  // vertices
  const TokenLocks locks_;
  const QueuesInPackets queues_;
  const std::vector<SleepCost> sleep_costs_ = SleepCosts(recorded_.stacks, recorded_.code);
  const std::vector<LoopShare> loop_shares_ = LoopShares(recorded_.stacks, recorded_.code);
  ToldTokens told_;
  std::set<uint32_t> rare_;  // vertices that few requests come to
};

}  // namespace

FoundRequests FollowedRequests(const LoadedRecording& recording, const TimeRange& range,
                               int threads) {
  return FindRequests(*recording.timeline, ReadFlows(recording, threads),
                      {.from_ns = range.from_ns,
                       .to_ns = range.to_ns,
                       .threads = threads,
                       .most_packets = kMostPacketsFollowed});
}

absl::StatusOr<TokenModel> TokensOfRequests(const RecordedForTokens& recorded) {
  TokenSettler settler(recorded, /*queues_in_packets=*/true);
  auto model = settler.Settle();
  // A sleep while the other server has no seat left may still be for something else. The recording
  // must agree, as with all that is told anew.
  if (!model.ok() || !settler.stood_in_line() || MissOf(*model) <= kSureTokenMiss) return model;
  auto without = TokenSettler(recorded, /*queues_in_packets=*/false).Settle();
  return without.ok() && MissOf(*without) < MissOf(*model) ? without : model;
}

}  // namespace gordian
