// SPDX-License-Identifier: Apache-2.0
#include "analysis/token_teller.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "analysis/token_ways.h"

namespace gordian {
namespace {

bool IsNested(RequestStepKind kind) {
  return kind == RequestStepKind::kPeer || kind == RequestStepKind::kThread ||
         kind == RequestStepKind::kLock;
}

class TokenTeller {
 public:
  TokenTeller(const Timeline& timeline, const TokenTurns& turns,
              std::span<const uint32_t> vertex_of_entity, const std::set<uint32_t>& event_loops,
              const TokenLocks& locks)
      : timeline_(timeline),
        turns_(turns),
        vertices_(vertex_of_entity),
        loops_(event_loops),
        locks_(locks),
        is_own_(ThreadsOfTurns(timeline, turns)),
        cpus_(timeline, is_own_) {}

  ToldTokens Tell() {
    for (const TokenLock& lock : locks_.locks) {
      made_.locks.push_back(
          {.place = static_cast<uint32_t>(made_.model.seats.size()), .waiter = lock.waiter});
      made_.model.seats.push_back(
          {.vertex = lock.holder, .is_lock = true, .waiter = lock.waiter, .count = 1});
    }
    for (size_t turn = 0; turn < turns_.turns.size(); ++turn) TellTurn(turn);
    return std::move(made_);
  }

 private:
  uint32_t VertexOf(EntityId id) const {
    return id < vertices_.size() ? vertices_[id] : kNoTokenVertex;
  }
  uint32_t NodeOf(EntityId id) const {
    return id < timeline_.thread_count() ? timeline_.entities()[id].node : 0;
  }

  SeatsSeen& SeatsOf(EntityId thread) {
    const uint32_t vertex = VertexOf(thread);
    const auto [found, is_new] = made_.seen.try_emplace(vertex);
    if (is_new) {
      found->second.place = static_cast<uint32_t>(made_.model.seats.size());
      made_.model.seats.push_back({.vertex = vertex, .node = NodeOf(thread)});
    }
    if (thread < timeline_.thread_count()) found->second.threads.insert(thread);
    return found->second;
  }
  uint32_t PoolOf(uint16_t port, EntityId asker) {
    const auto [found, is_new] =
        pools_.try_emplace(port, static_cast<uint32_t>(made_.model.seats.size()));
    if (is_new)
      made_.model.seats.push_back({.vertex = VertexOf(asker),
                                   .is_pool = true,
                                   .count = std::max(1u, turns_.open_at_once.at(port))});
    return found->second;
  }
  uint32_t DiskOf(EntityId device) {
    const uint32_t vertex = VertexOf(device);
    const auto [found, is_new] =
        made_.disks.try_emplace(vertex, static_cast<uint32_t>(made_.model.disks.size()));
    if (is_new) made_.model.disks.push_back({.vertex = vertex});
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
    SeatsSeen& seats = SeatsOf(worker);
    Add(TokenDeed::kTake, worker).place = seats.place;
    ++seats.takes;
    worker_ = worker;
    just_came_ = true;
  }

  // CPU time of the sleep that ends; SettleSeats knows how much.
  void EndSleep(EntityId worker) {
    if (std::exchange(waited_lock_, kNobody) != kNobody || !has_slept_) return;
    has_slept_ = false;
    ++SeatsOf(worker).sleeps;
    TokenStep& sleep = Add(TokenDeed::kRun, worker, 0, TokenPause::kWake);
    sleep.place = NodeOf(worker);
    sleep.behind_lock = std::exchange(was_lock_, false);
  }

  TokenStep& Add(TokenDeed deed, EntityId who, double ns = 0,
                 TokenPause pause = TokenPause::kOther) {
    return made_.model.steps.emplace_back(
        TokenStep{.deed = deed, .pause = pause, .who = VertexOf(who), .ns = ns});
  }

  void TellTurn(size_t number) {
    const TokenTurn& turn = turns_.turns[number];
    const std::span<const RequestStep> way = turn.way;
    TellClient(turn);
    Add(TokenDeed::kAsk, kNobody);
    worker_ = kNobody;
    nested_port_ = 0;
    has_slept_ = was_lock_ = false;
    waited_lock_ = kNobody;
    BeginHolds(number);
    VisitCost visit{.run_ns = 0, .stops = {0, 0}};
    const std::vector<uint8_t> queues = QueuesForConnections(turns_, way);
    for (size_t i = 0; i < way.size(); ++i) {
      const RequestStep& step = way[i];
      if (queues[i] != 0) continue;
      if (step.kind == RequestStepKind::kRun)
        visit.run_ns += static_cast<double>(step.to_ns - step.from_ns);
      visit.stops[0] += step.kind == RequestStepKind::kRunnable ? 1 : 0;
      visit.stops[1] += step.kind == RequestStepKind::kDisk ? 1 : 0;
      const uint32_t lock = locks_.waits[number][i];
      if (lock != kNobody) {
        // The simulation queues anew, where the wait ended.
        GoToWorker(step);
        just_came_ = false;
        waited_lock_ = lock;
        continue;
      }
      TellParts(step);
    }
    TakeAndGiveUntil(std::numeric_limits<uint64_t>::max());
    made_.visits.push_back(std::move(visit));
    // The thread that answered goes on behind it; all else is given back before.
    if (nested_port_ != 0) LeaveNested();
    Add(TokenDeed::kAnswer, kNobody);
    LeaveThread();
    made_.model.EndRequest();
  }

  struct LockEvent {
    uint64_t time_ns = 0;
    bool is_give = false;
    uint32_t lock = 0;
  };
  void BeginHolds(size_t turn) {
    lock_events_.clear();
    for (const LockHold& hold : locks_.of_turn[turn]) {
      lock_events_.push_back({hold.take_ns, false, hold.lock});
      lock_events_.push_back({hold.give_ns, true, hold.lock});
    }
    std::stable_sort(lock_events_.begin(), lock_events_.end(),
                     [](const LockEvent& a, const LockEvent& b) { return a.time_ns < b.time_ns; });
    next_lock_event_ = 0;
  }
  void TakeAndGiveUntil(uint64_t time_ns) {
    for (; next_lock_event_ < lock_events_.size() &&
           lock_events_[next_lock_event_].time_ns <= time_ns;
         ++next_lock_event_) {
      const LockEvent& event = lock_events_[next_lock_event_];
      Add(event.is_give ? TokenDeed::kGive : TokenDeed::kTake, kNobody).place =
          made_.locks[event.lock].place;
    }
  }
  // Cut where locks are taken and given.
  void TellParts(RequestStep step) {
    const uint64_t to_ns = step.to_ns;
    while (true) {
      TakeAndGiveUntil(step.from_ns);
      step.to_ns = next_lock_event_ < lock_events_.size()
                       ? std::min(to_ns, lock_events_[next_lock_event_].time_ns)
                       : to_ns;
      TellStep(step);
      if (step.to_ns == to_ns) return;
      step.from_ns = step.to_ns;
    }
  }

  void TellClient(const TokenTurn& turn) {
    const EntityId client = turn.request->client;
    const uint64_t from_ns = turn.answered_ns;
    const uint64_t to_ns = turn.request->start_ns;
    if (client == kNobody) {
      Add(TokenDeed::kPause, kNobody, static_cast<double>(to_ns - from_ns), TokenPause::kNetwork);
      return;
    }
    SeatsSeen& seats = SeatsOf(client);
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
                          static_cast<double>(turns_.asked_by.at(client));
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
    const EntityId worker = WorkerOfStep(timeline_, step);
    if (worker == kNobody || worker >= timeline_.thread_count()) return;
    const uint16_t nested = NestedPortOf(turns_, worker);
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
    const EntityId worker = is_elsewhere ? WorkerOfStep(timeline_, step)
                            : step.kind == RequestStepKind::kThread && step.cause_thread != kNobody
                                ? step.cause_thread
                                : step.thread;
    TellWork(kind, worker, step, time_ns);
  }

  // A nested server worked for another request, and this one had not asked it yet: it had no
  // connection.
  bool IsForConnection(const RequestStep& step) const {
    if (step.kind != RequestStepKind::kThread && step.kind != RequestStepKind::kLock &&
        step.kind != RequestStepKind::kBehind)
      return false;
    return NestedPortOf(turns_, step.waits_for) != 0;
  }

  // A queue, but a loop of events that sleeps keeps nobody waiting: it was this one's sleep, too.
  void TellBehind(const RequestStep& step) {
    GoToWorker(step);
    const EntityId worker = WorkerOfStep(timeline_, step);
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
    if (waited_lock_ != kNobody) {
      LockSeen& lock = made_.locks[waited_lock_];
      ++lock.waits;
      lock.wake_ns += idle_ns;
      return;
    }
    if (just_came_) {
      SeatsSeen& seats = SeatsOf(worker);
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

  const Timeline& timeline_;
  const TokenTurns& turns_;
  const std::span<const uint32_t> vertices_;
  const std::set<uint32_t>& loops_;
  const TokenLocks& locks_;
  const std::vector<uint8_t> is_own_;  // by thread: it works for requests
  const RunningCpus cpus_;
  std::map<uint16_t, uint32_t> pools_;      // by port
  std::map<EntityId, size_t> connections_;  // of clients
  ToldTokens made_;
  // Of the turn that is being told.
  EntityId worker_ = kNobody;           // whose seat the token has
  EntityId asker_ = kNobody;            // whose seat it keeps while a server works for it
  EntityId last_asker_ = kNobody;       // the last thread of the root's own
  uint16_t nested_port_ = 0;            // whose connection it has
  bool just_came_ = false;              // to that thread
  bool has_slept_ = false;              // that thread, since it last ran
  bool was_lock_ = false;               // … for a lock
  uint32_t waited_lock_ = kNobody;      // … for that station
  std::vector<LockEvent> lock_events_;  // in order of time
  size_t next_lock_event_ = 0;
};

}  // namespace

ToldTokens TellTokens(const Timeline& timeline, const TokenTurns& turns,
                      std::span<const uint32_t> vertex_of_entity,
                      const std::set<uint32_t>& event_loops, const TokenLocks& locks) {
  return TokenTeller(timeline, turns, vertex_of_entity, event_loops, locks).Tell();
}

}  // namespace gordian
