// SPDX-License-Identifier: Apache-2.0
#include "analysis/token_requests.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "analysis/running_cpus.h"
#include "analysis/token_turns.h"
#include "whatif/paths/paths.h"

namespace gordian {
namespace {

// Share of a thread's returns to a request behind work for others. From here on it is a loop of
// events, and other requests go through it while one waits.
constexpr double kRunsMeanwhile = 0.1;

// Share of the requests. A thread that fewer come to (a kernel's worker, a collector) works mostly
// for something else.
constexpr double kRareStation = 0.05;

// Share of the recorded rate, or of the response time.
constexpr double kClearlyNearerTokens = 0.05;

bool IsNested(RequestStepKind kind) {
  return kind == RequestStepKind::kPeer || kind == RequestStepKind::kThread ||
         kind == RequestStepKind::kLock;
}

std::vector<uint8_t> ThreadsOf(const TokenTurns& turns, const Timeline& timeline) {
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
    }
  }
  return is_own;
}

class TokenMaker {
 public:
  explicit TokenMaker(const RecordedForTokens& recorded)
      : recorded_(recorded),
        timeline_(recorded.timeline),
        vertices_(recorded.vertex_of_entity),
        turns_(TurnsOfRoot(recorded.timeline, recorded.found, recorded.walk,
                           recorded.vertex_of_entity)),
        is_own_(ThreadsOf(turns_, timeline_)),
        cpus_(timeline_, is_own_) {}

  absl::StatusOr<TokenModel> Make() {
    if (turns_.turns.empty())
      return absl::FailedPreconditionError("no requests were found in packets");
    FindLoops();
    for (const TokenTurn& turn : turns_.turns) TellTurn(turn);
    SettleSeats();
    SettleStops();
    made_.population = turns_.population;
    made_.closed_share = turns_.closed_share;
    double response_ns = 0;
    for (const TokenTurn& turn : turns_.turns)
      response_ns += static_cast<double>(turn.request->latency_ns());
    made_.recorded_response_ns = response_ns / static_cast<double>(turns_.turns.size());
    made_.recorded_rate = static_cast<double>(turns_.requests) * 1e9 / span_ns();
    SettleNodes();
    return std::move(made_);
  }

 private:
  double span_ns() const {
    return static_cast<double>(std::max<uint64_t>(1, timeline_.end_ns() - timeline_.start_ns()));
  }
  uint32_t VertexOf(EntityId id) const {
    return id < vertices_.size() ? vertices_[id] : kNoTokenVertex;
  }
  uint32_t NodeOf(EntityId id) const {
    return id < timeline_.thread_count() ? timeline_.entities()[id].node : 0;
  }

  // Who is at work on the request in that step.
  EntityId WorkerOf(const RequestStep& step) const {
    if (step.kind != RequestStepKind::kPeer) return step.thread;
    if (step.cause_thread < timeline_.thread_count()) return step.cause_thread;
    return step.waits_for != kNobody ? step.waits_for : step.thread;
  }

  // Threads that work for one request, then for others, then for the first again.
  void FindLoops() {
    struct Burst {
      uint64_t from_ns = 0;
      size_t turn = 0;
    };
    std::map<EntityId, std::vector<Burst>> bursts;
    for (size_t turn = 0; turn < turns_.turns.size(); ++turn) {
      for (const RequestStep& step : turns_.turns[turn].way) {
        const bool runs =
            step.kind == RequestStepKind::kRun ||
            (step.kind == RequestStepKind::kPeer && step.cause == RequestStepKind::kRun);
        if (runs) bursts[WorkerOf(step)].push_back({step.from_ns, turn});
      }
    }
    std::map<uint32_t, std::pair<uint64_t, uint64_t>> returns;  // to a turn; behind others
    for (auto& [thread, of_thread] : bursts) {
      std::sort(of_thread.begin(), of_thread.end(), [](const Burst& a, const Burst& b) {
        return std::tie(a.from_ns, a.turn) < std::tie(b.from_ns, b.turn);
      });
      auto& [all, with_others] = returns[VertexOf(thread)];
      std::map<size_t, size_t> last;
      for (size_t i = 0; i < of_thread.size(); ++i) {
        const auto [found, is_first] = last.try_emplace(of_thread[i].turn, i);
        if (is_first) continue;
        ++all;
        with_others += i - found->second > 1 ? 1 : 0;
        found->second = i;
      }
    }
    for (const auto& [vertex, counts] : returns)
      if (static_cast<double>(counts.second) > kRunsMeanwhile * static_cast<double>(counts.first))
        loops_.insert(vertex);
  }

  // What the seats of a vertex are, and what was seen of them.
  struct Seen {
    uint32_t place = 0;
    std::set<EntityId> threads;
    uint64_t takes = 0;
    uint64_t behind = 0;  // … of a thread that worked for others
    uint64_t sleeps = 0;  // on the way, not while it was left
    double wake_ns = 0;
    double run_ns = 0;
  };
  Seen& SeatsOf(EntityId thread) {
    const uint32_t vertex = VertexOf(thread);
    const auto [found, is_new] = seen_.try_emplace(vertex);
    if (is_new) {
      found->second.place = static_cast<uint32_t>(made_.seats.size());
      made_.seats.push_back({.vertex = vertex, .node = NodeOf(thread)});
    }
    found->second.threads.insert(thread);
    return found->second;
  }
  uint32_t PoolOf(uint16_t port, EntityId asker) {
    const auto [found, is_new] =
        pools_.try_emplace(port, static_cast<uint32_t>(made_.seats.size()));
    if (is_new)
      made_.seats.push_back({.vertex = VertexOf(asker),
                             .is_pool = true,
                             .count = std::max(1u, turns_.open_at_once[port])});
    return found->second;
  }
  uint32_t DiskOf(EntityId device) {
    const uint32_t vertex = VertexOf(device);
    const auto [found, is_new] =
        disks_.try_emplace(vertex, static_cast<uint32_t>(made_.disks.size()));
    if (is_new) made_.disks.push_back({.vertex = vertex});
    return found->second;
  }

  // A loop of events works for others meanwhile.
  void AddPause(EntityId who, double ns, TokenPause pause) {
    const bool leaves = worker_ != kNobody && loops_.contains(VertexOf(worker_));
    const EntityId worker = worker_;
    if (leaves) LeaveThread();
    Add(TokenDeed::kPause, who, ns, pause);
    if (leaves) {
      TakeThread(worker);
    } else {
      has_slept_ = true;
    }
  }

  void TakeThread(EntityId worker) {
    Seen& seats = SeatsOf(worker);
    Add(TokenDeed::kTake, worker).place = seats.place;
    ++seats.takes;
    worker_ = worker;
    just_came_ = true;
  }

  // CPU time of the sleep that ends; SettleSeats knows how much.
  void EndSleep(EntityId worker) {
    if (!has_slept_) return;
    has_slept_ = false;
    ++SeatsOf(worker).sleeps;
    TokenStep& sleep = Add(TokenDeed::kRun, worker, 0, TokenPause::kWake);
    sleep.place = NodeOf(worker);
    sleep.behind_lock = std::exchange(was_lock_, false);
  }

  TokenStep& Add(TokenDeed deed, EntityId who, double ns = 0,
                 TokenPause pause = TokenPause::kOther) {
    return made_.steps.emplace_back(
        TokenStep{.deed = deed, .pause = pause, .who = VertexOf(who), .ns = ns});
  }

  void TellTurn(const TokenTurn& turn) {
    const std::span<const RequestStep> way = turn.way;
    TellClient(turn);
    Add(TokenDeed::kAsk, kNobody);
    worker_ = kNobody;
    nested_port_ = 0;
    has_slept_ = was_lock_ = false;
    VisitCost visit{.run_ns = 0, .stops = {0, 0}};
    const std::vector<uint8_t> queues = QueuesForConnections(way);
    for (size_t i = 0; i < way.size(); ++i) {
      const RequestStep& step = way[i];
      if (queues[i] != 0) continue;
      if (step.kind == RequestStepKind::kRun)
        visit.run_ns += static_cast<double>(step.to_ns - step.from_ns);
      visit.stops[0] += step.kind == RequestStepKind::kRunnable ? 1 : 0;
      visit.stops[1] += step.kind == RequestStepKind::kDisk ? 1 : 0;
      TellStep(step);
    }
    visits_.push_back(std::move(visit));
    // The thread that answered goes on behind it; all else is given back before.
    if (nested_port_ != 0) LeaveNested();
    Add(TokenDeed::kAnswer, kNobody);
    LeaveThread();
    made_.EndRequest();
  }

  void TellClient(const TokenTurn& turn) {
    const EntityId client = turn.request->client;
    const uint64_t from_ns = turn.answered_ns;
    const uint64_t to_ns = turn.request->start_ns;
    if (client == kNobody) {
      Add(TokenDeed::kPause, kNobody, static_cast<double>(to_ns - from_ns), TokenPause::kNetwork);
      return;
    }
    Seen& seats = SeatsOf(client);
    Add(TokenDeed::kTake, client).place = seats.place;
    ++seats.takes;
    // Its waits behind the first one, which is for this answer or for another one.
    uint64_t waited_ns = 0;
    bool has_run = false;
    for (SegmentCursor at = timeline_.SegmentsFrom(client, from_ns);
         !at.done() && at.start_ns() < to_ns; at.Next()) {
      const uint64_t begin_ns = std::max(from_ns, at.start_ns());
      const uint64_t end_ns = std::min(to_ns, at.end_ns());
      if (begin_ns >= end_ns) continue;
      if (at.segment().kind == SegmentKind::kRun) has_run = true;
      if (at.segment().kind == SegmentKind::kRunnable && !has_run) {
        seats.wake_ns += static_cast<double>(cpus_.IdleBetween(NodeOf(client), begin_ns, end_ns));
      }
      if (at.segment().kind == SegmentKind::kWait && has_run) waited_ns += end_ns - begin_ns;
    }
    // Its CPU time is shared out evenly: a client of many connections works for others meanwhile.
    const double run_ns = static_cast<double>(timeline_.entities()[client].run_ns) /
                          static_cast<double>(turns_.asked_by[client]);
    seats.run_ns += run_ns;
    if (IsOfOne(client) && waited_ns > 0)
      Add(TokenDeed::kPause, client, static_cast<double>(waited_ns), TokenPause::kTimer);
    TokenStep& run = Add(TokenDeed::kRun, client, run_ns);
    run.place = NodeOf(client);
    Add(TokenDeed::kGive, client).place = seats.place;
  }

  // Whether the client has a single connection.
  bool IsOfOne(EntityId client) {
    if (connections_.empty()) {
      std::map<EntityId, std::set<uint32_t>> of_client;
      for (const TokenTurn& turn : turns_.turns)
        of_client[turn.request->client].insert(turn.request->connection);
      for (const auto& [id, connections] : of_client) connections_[id] = connections.size();
    }
    return connections_[client] == 1;
  }

  void LeaveThread() {
    if (worker_ == kNobody) return;
    Add(TokenDeed::kGive, worker_).place = SeatsOf(worker_).place;
    worker_ = kNobody;
  }
  void LeaveNested() {
    LeaveThread();
    Add(TokenDeed::kGive, kNobody).place = pools_.at(nested_port_);
    nested_port_ = 0;
    worker_ = std::exchange(asker_, kNobody);
  }

  // The token has the seat of the thread that works for it, and a connection's if that is a server
  // which the root asks.
  void GoToWorker(const RequestStep& step) {
    const EntityId worker = WorkerOf(step);
    if (worker == kNobody || worker >= timeline_.thread_count()) return;
    const auto port = turns_.port_of_server.find(worker);
    const uint16_t nested =
        port != turns_.port_of_server.end() && port->second != turns_.port ? port->second : 0;
    if (nested != nested_port_) {
      if (nested_port_ != 0) LeaveNested();
      if (nested != 0) {
        // A thread that can do nothing else stays the request's own.
        if (worker_ != kNobody && loops_.contains(VertexOf(worker_))) LeaveThread();
        const uint32_t pool = PoolOf(nested, step.thread == worker ? last_asker_ : step.thread);
        Add(TokenDeed::kTake, kNobody).place = pool;
        nested_port_ = nested;
        asker_ = std::exchange(worker_, kNobody);
      }
    }
    if (nested == 0) last_asker_ = worker;
    if (worker_ == worker) return;
    LeaveThread();
    TakeThread(worker);
  }

  void TellStep(const RequestStep& step) {
    const auto time_ns = static_cast<double>(step.to_ns - step.from_ns);
    if (IsForConnection(step)) return;
    const bool is_behind =
        step.kind == RequestStepKind::kBehind ||
        (step.kind == RequestStepKind::kPeer && step.cause == RequestStepKind::kBehind);
    if (is_behind && turns_.population > 1) return TellBehind(step);
    if (step.kind == RequestStepKind::kLock) return TellLock(step, time_ns);
    const bool is_elsewhere = step.kind == RequestStepKind::kPeer;
    // A token alone is behind nobody: what looks so is the other half of its cycle.
    const RequestStepKind kind = IsNested(step.kind) || is_behind ? step.cause : step.kind;
    if (kind != RequestStepKind::kNetwork && kind != RequestStepKind::kUnknown) GoToWorker(step);
    const EntityId worker = is_elsewhere ? WorkerOf(step)
                            : step.kind == RequestStepKind::kThread && step.cause_thread != kNobody
                                ? step.cause_thread
                                : step.thread;
    TellWork(kind, worker, step, time_ns);
  }

  bool IsNestedServer(EntityId thread) const {
    const auto port = turns_.port_of_server.find(thread);
    return port != turns_.port_of_server.end() && port->second != turns_.port;
  }

  // By step: whether it is a part of a wait for a connection. Between the request's own questions
  // to nested servers, and before the first, these work for others; so does the root, between their
  // answers.
  std::vector<uint8_t> QueuesForConnections(std::span<const RequestStep> way) const {
    std::vector<uint8_t> is_queue(way.size());
    size_t begin = 0;
    for (size_t end = 0; end < way.size(); ++end) {
      if (way[end].kind != RequestStepKind::kPeer || way[end].asked == kNoConnection) continue;
      size_t first = end;
      size_t last = begin;
      for (size_t i = begin; i < end; ++i) {
        const bool is_for_pool =
            way[i].kind == RequestStepKind::kLock &&
            (way[i].cause == RequestStepKind::kPeer || way[i].cause == RequestStepKind::kLock ||
             way[i].cause == RequestStepKind::kUnknown);
        const bool is_foreign = is_for_pool || IsNestedServer(way[i].thread) ||
                                IsNestedServer(way[i].waits_for) ||
                                IsNestedServer(way[i].cause_thread);
        if (!is_foreign) continue;
        first = std::min(first, i);
        last = i + 1;
      }
      for (size_t i = first; i < last; ++i) is_queue[i] = 1;
      begin = end + 1;
    }
    return is_queue;
  }

  // A nested server worked for another request, and this one had not asked it yet: it had no
  // connection.
  bool IsForConnection(const RequestStep& step) const {
    if (step.kind != RequestStepKind::kThread && step.kind != RequestStepKind::kLock &&
        step.kind != RequestStepKind::kBehind)
      return false;
    return IsNestedServer(step.waits_for);
  }

  // A queue, but a loop of events that sleeps keeps nobody waiting: it was this one's sleep, too.
  void TellBehind(const RequestStep& step) {
    GoToWorker(step);
    const EntityId worker = WorkerOf(step);
    if (worker < timeline_.thread_count() && loops_.contains(VertexOf(worker))) {
      uint64_t asleep_ns = 0;
      for (SegmentCursor at = timeline_.SegmentsFrom(worker, step.from_ns);
           !at.done() && at.start_ns() < step.to_ns; at.Next()) {
        if (at.segment().kind != SegmentKind::kWait) continue;
        const uint64_t begin_ns = std::max(step.from_ns, at.start_ns());
        const uint64_t end_ns = std::min(step.to_ns, at.end_ns());
        if (begin_ns < end_ns) asleep_ns += end_ns - begin_ns;
      }
      if (asleep_ns > 0) AddPause(worker, static_cast<double>(asleep_ns), TokenPause::kTimer);
    }
    if (std::exchange(just_came_, false)) ++SeatsOf(worker).behind;
  }

  void TellWork(RequestStepKind kind, EntityId worker, const RequestStep& step, double time_ns) {
    switch (kind) {
      case RequestStepKind::kRun: {
        just_came_ = false;
        EndSleep(worker);
        SeatsOf(worker).run_ns += time_ns;
        Add(TokenDeed::kRun, worker, time_ns).place = NodeOf(worker);
        return;
      }
      case RequestStepKind::kRunnable:
        return TellReady(worker, step);
      case RequestStepKind::kDisk: {
        just_came_ = false;
        was_lock_ = false;
        if (step.kind == RequestStepKind::kDisk && step.waits_for != kNobody) {
          TokenStep& wait = Add(TokenDeed::kDisk, worker, time_ns, TokenPause::kDisk);
          wait.place = DiskOf(step.waits_for);
          wait.whom = VertexOf(step.waits_for);
          has_slept_ = true;
          return;
        }
        // Another thread's operation, which may be for others, too.
        Add(TokenDeed::kPause, step.thread, time_ns, TokenPause::kDisk);
        has_slept_ = true;
        return;
      }
      case RequestStepKind::kTimer:
        return AddPause(worker, time_ns, TokenPause::kTimer);
      case RequestStepKind::kNetwork:
        return AddPause(worker, time_ns, TokenPause::kNetwork);
      case RequestStepKind::kBehind:
      case RequestStepKind::kLock:
        return;  // a queue there
      default:
        AddPause(worker, time_ns, TokenPause::kOther);
    }
  }

  // While these threads had not all CPUs, it took time to wake, or was lost to other programs. The
  // rest was a queue.
  void TellReady(EntityId worker, const RequestStep& step) {
    const auto idle_ns =
        static_cast<double>(cpus_.IdleBetween(NodeOf(worker), step.from_ns, step.to_ns));
    if (just_came_) {
      Seen& seats = SeatsOf(worker);
      seats.wake_ns += idle_ns;
      just_came_ = false;
      return;
    }
    Add(TokenDeed::kPause, worker, idle_ns, TokenPause::kWake).behind_lock = was_lock_;
  }

  // A wait for a connection is a queue of the pool; all others are told by their holder's deeds.
  void TellLock(const RequestStep& step, double time_ns) {
    GoToWorker(step);
    just_came_ = false;
    TokenPause pause = TokenPause::kOther;
    switch (step.cause) {
      case RequestStepKind::kPeer:
      case RequestStepKind::kNetwork:
      case RequestStepKind::kTimer:
        return;
      case RequestStepKind::kRun:
        pause = TokenPause::kRun;
        break;
      case RequestStepKind::kRunnable:
        pause = TokenPause::kWake;
        break;
      case RequestStepKind::kDisk:
        pause = TokenPause::kDisk;
        break;
      default:
        break;
    }
    Add(TokenDeed::kPause, step.cause_thread, time_ns, pause).in_lock = true;
    has_slept_ = true;
    was_lock_ = true;
  }

  // Of its CPU time, in the calls in which it goes to sleep, or wakes others.
  double ShareOfCalls(uint32_t vertex, bool of_waking) const {
    double share = 0;
    for (const SleepCost& cost : sleep_costs_)
      if (cost.vertex == vertex && cost.of_waking == of_waking) share += cost.call_share;
    return std::min(share, 0.5);
  }
  uint64_t SleepsOf(EntityId thread) const {
    uint64_t sleeps = 0;
    for (SegmentCursor at = timeline_.SegmentsFrom(thread); !at.done(); at.Next())
      sleeps += at.segment().kind == SegmentKind::kWait ? 1 : 0;
    return sleeps;
  }

  // A thread for each connection of the root, which waits for it alone.
  bool IsOnePerConnection(uint32_t vertex, const std::set<EntityId>& threads) const {
    for (const LoopShare& loop : loop_shares_)
      if (loop.from == vertex && loop.share > kMostlyInLoop) return false;
    if (loops_.contains(vertex)) return false;
    std::map<EntityId, std::set<uint32_t>> connections;
    for (const TokenTurn& turn : turns_.turns)
      if (threads.contains(turn.request->thread))
        connections[turn.request->thread].insert(turn.request->connection);
    return !connections.empty() &&
           std::all_of(connections.begin(), connections.end(),
                       [](const auto& of_thread) { return of_thread.second.size() == 1; });
  }

  void SettleSeats() {
    for (auto& [vertex, seen] : seen_) {
      TokenSeats& seats = made_.seats[seen.place];
      seats.count = static_cast<uint32_t>(seen.threads.size());
      seats.grows = IsOnePerConnection(vertex, seen.threads);
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
        continue;
      }
      // CPU time of sleeping and of waking counts where a thread is woken.
      const double sleeping = ShareOfCalls(vertex, /*of_waking=*/false);
      const double waking = ShareOfCalls(vertex, /*of_waking=*/true);
      uint64_t sleeps = 0;
      for (const EntityId thread : seen.threads) sleeps += SleepsOf(thread);
      const double told = (idle_takes + static_cast<double>(seen.sleeps)) * all;
      const double stops = std::max(static_cast<double>(sleeps), told);
      if (stops > 0) {
        seats.sleep_run_ns = sleeping * run_ns / stops;
        seats.wake_run_ns = waking * run_ns / stops;
      }
      const double rest = stops > 0 ? 1 - sleeping - waking : 1;
      for (TokenStep& step : made_.steps) {
        if (step.deed == TokenDeed::kGive && step.place == seen.place) step.ns = behind_ns * rest;
        if (step.deed != TokenDeed::kRun || step.who != vertex) continue;
        step.ns = step.pause == TokenPause::kWake ? seats.sleep_run_ns + seats.wake_run_ns
                                                  : step.ns * rest;
      }
    }
  }

  void SettleStops() {
    const auto costs = CostsOfStops(visits_);
    made_.disk_wait_run_ns = costs.size() == 2 ? costs[1].value_or(0) : 0;
    for (TokenDisk& disk : made_.disks) disk.slots = 1;
    // Operations that overlapped.
    std::map<uint32_t, std::vector<std::pair<uint64_t, int>>> changes;
    for (const TokenTurn& turn : turns_.turns) {
      for (const RequestStep& step : turn.way) {
        if (step.kind != RequestStepKind::kDisk || step.waits_for == kNobody) continue;
        changes[DiskOf(step.waits_for)].emplace_back(step.from_ns, 1);
        changes[DiskOf(step.waits_for)].emplace_back(step.to_ns, -1);
      }
    }
    for (auto& [disk, of_disk] : changes) {
      std::sort(of_disk.begin(), of_disk.end());
      int64_t open = 0;
      int64_t most = 1;
      for (const auto& [time_ns, change] : of_disk) most = std::max(most, open += change);
      made_.disks[disk].slots = static_cast<uint32_t>(most);
    }
    // Waits for what other threads asked of the disk: there is mostly one.
    if (made_.disks.empty()) return;
    for (TokenStep& step : made_.steps)
      if (step.deed == TokenDeed::kPause && step.pause == TokenPause::kDisk)
        step.whom = made_.disks.front().vertex;
  }

  void SettleNodes() {
    std::set<EntityId> of_requests;
    for (const auto& [vertex, seen] : seen_)
      if (!rare_.contains(vertex)) of_requests.insert(seen.threads.begin(), seen.threads.end());
    for (uint32_t node = 0; node < timeline_.node_count(); ++node) {
      const auto all = static_cast<double>(timeline_.CpusOf(node));
      made_.nodes.push_back({.all = all, .cpus = all});
    }
    std::vector<TokenNode> left = made_.nodes;
    for (EntityId thread = 0; thread < timeline_.thread_count(); ++thread) {
      const Entity& entity = timeline_.entities()[thread];
      if (!of_requests.contains(thread))
        left[entity.node].cpus -= static_cast<double>(entity.run_ns) / span_ns();
    }
    for (TokenNode& node : left) node.cpus = std::max(0.1, node.cpus);
    ChooseNodes({made_.nodes, left});
    for (const auto& [client, requests] : turns_.asked_by) {
      const uint32_t vertex = VertexOf(client);
      if (vertex != kNoTokenVertex &&
          std::find(made_.askers.begin(), made_.askers.end(), vertex) == made_.askers.end())
        made_.askers.push_back(vertex);
    }
  }

  // The recording does not tell who came first at the CPUs. The first way counts, unless a later one
  // is clearly nearer to it.
  void ChooseNodes(std::initializer_list<std::vector<TokenNode>> ways) {
    double least = std::numeric_limits<double>::infinity();
    std::vector<TokenNode> nearest;
    for (const std::vector<TokenNode>& nodes : ways) {
      made_.nodes = nodes;
      const TokenRates rates = PlayTokens(made_, kTokenRequestsOfPart);
      const double miss = std::max(std::abs(rates.rate / made_.recorded_rate - 1),
                                   std::abs(rates.response_ns / made_.recorded_response_ns - 1));
      if (miss >= least - kClearlyNearerTokens) continue;
      least = miss;
      nearest = nodes;
    }
    made_.nodes = nearest;
  }

  const RecordedForTokens& recorded_;
  const Timeline& timeline_;
  const std::span<const uint32_t> vertices_;
  TokenTurns turns_;
  const std::vector<uint8_t> is_own_;  // by thread: it works for requests
  const RunningCpus cpus_;
  std::set<uint32_t> loops_;  // vertices of event loops
  std::set<uint32_t> rare_;   // vertices that few requests come to
  const std::vector<SleepCost> sleep_costs_ = SleepCosts(recorded_.stacks, recorded_.code);
  const std::vector<LoopShare> loop_shares_ = LoopShares(recorded_.stacks, recorded_.code);
  std::map<uint32_t, Seen> seen_;           // by vertex
  std::map<uint16_t, uint32_t> pools_;      // by port
  std::map<uint32_t, uint32_t> disks_;      // by vertex
  std::map<EntityId, size_t> connections_;  // of clients
  std::vector<VisitCost> visits_;
  TokenModel made_;
  // Of the turn that is being told.
  EntityId worker_ = kNobody;      // whose seat the token has
  EntityId asker_ = kNobody;       // whose seat it keeps while a server works for it
  EntityId last_asker_ = kNobody;  // the last thread of the root's own
  uint16_t nested_port_ = 0;       // whose connection it has
  bool just_came_ = false;         // to that thread
  bool has_slept_ = false;         // that thread, since it last ran
  bool was_lock_ = false;          // … for a lock
};

}  // namespace

absl::StatusOr<TokenModel> TokensOfRequests(const RecordedForTokens& recorded) {
  return TokenMaker(recorded).Make();
}

}  // namespace gordian
