// SPDX-License-Identifier: Apache-2.0
#include "analysis/token_teller.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "analysis/token_clients.h"
#include "analysis/token_draft.h"
#include "analysis/token_holds.h"
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
              const TokenLocks& locks, const QueuesInPackets* queues)
      : timeline_(timeline),
        turns_(turns),
        loops_(event_loops),
        locks_(locks),
        queues_(queues),
        is_own_(ThreadsOfTurns(timeline, turns)),
        cpus_(timeline, is_own_),
        draft_(timeline, turns, vertex_of_entity),
        clients_(timeline, turns, vertex_of_entity, cpus_, draft_),
        holds_(draft_) {}

  ToldTokens Tell() {
    for (const TokenLock& lock : locks_.locks) {
      draft_.told().locks.push_back(
          {.place = static_cast<uint32_t>(draft_.told().model.seats.size()),
           .waiter = lock.waiter});
      draft_.told().model.seats.push_back({.vertex = lock.holder,
                                           .is_lock = true,
                                           .waiter = lock.waiter,
                                           .outlives_requests = lock.outlives_requests,
                                           .count = lock.seats});
    }
    clients_.AddPermits();
    for (size_t turn = 0; turn < turns_.turns.size(); ++turn) TellTurn(turn);
    LeaveOutLocksInBothOrders(draft_.told().model);
    return std::move(draft_.told());
  }

 private:
  // A loop of events works for others meanwhile.
  void AddPause(EntityId who, double ns, TokenPause pause, EntityId whom = kNobody) {
    const EntityId worker = levels_.back().worker;
    const bool leaves = worker != kNobody && loops_.contains(draft_.VertexOf(worker));
    if (leaves) LeaveThread();
    draft_.Add(TokenDeed::kPause, who, ns, pause).whom = draft_.VertexOf(whom);
    if (leaves) {
      TakeThread(worker);
    } else {
      has_slept_ = worker != kNobody;  // else nobody works for it yet, and who will is woken
    }
  }

  void TakeThread(EntityId worker) {
    SeatsSeen& seats = draft_.SeatsOf(worker);
    draft_.Add(TokenDeed::kTake, worker).place = seats.place;
    ++seats.takes;
    levels_.back().worker = worker;
    just_came_ = true;
    has_slept_ = false;
  }

  // CPU time of the sleep that ends; SettleSeats knows how much.
  void EndSleep(EntityId worker) {
    if (std::exchange(waited_lock_, kNobody) != kNobody || !has_slept_) return;
    has_slept_ = false;
    ++draft_.SeatsOf(worker).sleeps;
    TokenStep& sleep = draft_.Add(TokenDeed::kRun, worker, 0, TokenPause::kWake);
    sleep.place = draft_.NodeOf(worker);
    sleep.behind_lock = std::exchange(was_lock_, false);
  }

  void TellTurn(size_t number) {
    const TokenTurn& turn = turns_.turns[number];
    const std::span<const RequestStep> way = turn.way;
    clients_.TellClient(turn);
    draft_.Add(TokenDeed::kAsk, kNobody);
    levels_.assign(1, {});
    has_slept_ = was_lock_ = false;
    waited_lock_ = kNobody;
    holder_ = turn.request->thread;
    holds_.Begin(locks_.of_turn[number], locks_, way, turns_);
    needs_seat_of_.clear();
    for (const RequestStep& step : way) {
      if (step.kind != RequestStepKind::kPeer) continue;
      for (const uint16_t port : ServersOfStep(turns_, step)) needs_seat_of_.insert(port);
    }
    VisitCost visit{.run_ns = 0, .stops = {0, 0}};
    const std::vector<uint8_t> queues = QueuesForConnections(turns_, way);
    for (size_t i = 0; i < way.size(); ++i) {
      const RequestStep& step = way[i];
      if (queues[i] != 0) continue;
      rest_ = way.subspan(i);
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
      const bool goes_on = i + 1 < way.size() && way[i + 1].kind == RequestStepKind::kPeer &&
                           way[i + 1].asked == step.asked;
      is_way_back_ = step.kind == RequestStepKind::kPeer && !goes_on;
      const size_t first = draft_.told().model.steps.size();
      TellParts(step);
      if (locks_.looks[number][i] != kNobody) MarkLook(first, locks_.looks[number][i]);
    }
    holds_.TakeAndGiveUntil(std::numeric_limits<uint64_t>::max(), IsAtHolder());
    draft_.told().visits.push_back(std::move(visit));
    // The thread that answered goes on behind it; all else is given back before.
    while (levels_.size() > 1) LeaveServer();
    draft_.Add(TokenDeed::kAnswer, kNobody);
    LeaveThread();
    clients_.GivePermitBack(turn);
    draft_.told().model.EndRequest();
  }

  // The server that it asks next; 0: it asks none.
  uint16_t NextPort() const {
    for (const RequestStep& step : rest_)
      for (const uint16_t port : ServersOfStep(turns_, step)) return port;
    return 0;
  }

  void MarkLook(size_t first, uint32_t lock) {
    std::vector<TokenStep>& steps = draft_.told().model.steps;
    for (size_t i = first; i < steps.size(); ++i)
      if (steps[i].deed == TokenDeed::kRun || steps[i].deed == TokenDeed::kPause)
        steps[i].looks_for = draft_.told().locks[lock].place;
  }

  // A server that works for the token, over one of its connections.
  struct Level {
    uint16_t port = 0;               // 0: the root
    EntityId worker = kNobody;       // whose seat the token has
    EntityId last_worker = kNobody;  // … or had
  };
  EntityId worker() const { return levels_.back().worker; }

  // Cut where locks are taken and given.
  void TellParts(RequestStep step) {
    const uint64_t to_ns = step.to_ns;
    while (true) {
      holds_.TakeAndGiveUntil(step.from_ns, IsAtHolder());
      step.to_ns = std::min(to_ns, holds_.next_ns());
      TellStep(step);
      if (step.to_ns == to_ns) return;
      step.from_ns = step.to_ns;
    }
  }

  // Locks are of the thread that answers.
  bool IsAtHolder() const { return levels_.size() == 1 && worker() == holder_; }

  void LeaveThread() {
    EntityId& worker = levels_.back().worker;
    if (worker == kNobody) return;
    if (IsAtHolder()) holds_.GiveAll();
    draft_.Add(TokenDeed::kGive, worker).place = draft_.SeatsOf(worker).place;
    worker = kNobody;
  }
  void LeaveServer() {
    LeaveThread();
    draft_.Add(TokenDeed::kGive, kNobody).place = draft_.PoolOf(levels_.back().port, kNobody);
    levels_.pop_back();
  }
  void AskServer(uint16_t port) {
    // A thread that can do nothing else stays the request's own.
    if (worker() != kNobody && loops_.contains(draft_.VertexOf(worker()))) LeaveThread();
    const uint32_t pool = draft_.PoolOf(port, levels_.back().last_worker);
    draft_.Add(TokenDeed::kTake, kNobody).place = pool;
    levels_.push_back({.port = port});
  }

  // The token has the seat of the thread that works for it, and the connections to that, if servers
  // ask each other.
  void GoToWorker(const RequestStep& step) {
    const EntityId next = WorkerOfStep(timeline_, step);
    if (next == kNobody || next >= timeline_.thread_count()) return;
    const std::vector<uint16_t> servers = ServersOfStep(turns_, step);
    size_t known = 0;
    while (known < servers.size() && known + 1 < levels_.size() &&
           levels_[known + 1].port == servers[known])
      ++known;
    while (levels_.size() > known + 1) LeaveServer();
    if (known < servers.size() && step.kind == RequestStepKind::kPeer && worker() == kNobody)
      levels_.back().last_worker = known == 0 ? step.thread : levels_.back().last_worker;
    for (; known < servers.size(); ++known) AskServer(servers[known]);
    levels_.back().last_worker = next;
    if (worker() != next) {
      LeaveThread();
      TakeThread(next);
    }
    if (IsAtHolder()) holds_.TakeWhatIsDue();
  }

  void TellStep(const RequestStep& step) {
    const auto time_ns = static_cast<double>(step.to_ns - step.from_ns);
    if (IsForConnection(step)) return;
    const bool is_behind = DeedOfStep(step) == RequestStepKind::kBehind;
    if (is_behind && turns_.population > 1) return TellBehind(step);
    if (step.kind == RequestStepKind::kPeer && step.cause == RequestStepKind::kNetwork &&
        step.waits_for != kNobody)
      return TellFlight(step, time_ns);
    if (step.kind == RequestStepKind::kLock) return TellLock(step, time_ns);
    const bool is_elsewhere = step.kind == RequestStepKind::kPeer;
    // A token alone is behind nobody: what looks so is the other half of its cycle.
    const RequestStepKind kind = is_elsewhere                       ? DeedOfStep(step)
                                 : IsNested(step.kind) || is_behind ? step.cause
                                                                    : step.kind;
    if (kind != RequestStepKind::kNetwork && kind != RequestStepKind::kUnknown) GoToWorker(step);
    const EntityId worker = is_elsewhere ? WorkerOfStep(timeline_, step)
                            : step.kind == RequestStepKind::kThread && step.cause_thread != kNobody
                                ? step.cause_thread
                                : step.thread;
    TellWork(kind, worker, step, time_ns);
  }

  // To another server, or its answer: that one works for others meanwhile.
  void TellFlight(const RequestStep& step, double time_ns) {
    if (!is_way_back_) return draft_.AddFlight(step.thread, step.waits_for, time_ns);
    if (levels_.size() > 1) LeaveThread();
    draft_.AddFlight(step.waits_for, step.thread, time_ns);
    has_slept_ = true;
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
    if (worker < timeline_.thread_count() && loops_.contains(draft_.VertexOf(worker))) {
      const std::vector<OpenStretch> asleep =
          SleepsWithin(timeline_, worker, step.from_ns, step.to_ns);
      const uint64_t asleep_ns = LengthOf(asleep);
      const uint16_t port = queues_ == nullptr ? 0 : queues_->PortStoodFor(worker, asleep);
      if (asleep_ns > 0 && port != 0) {
        draft_.told().stood_in_line = true;
        StandInLine(port, worker);
      } else if (asleep_ns > 0) {
        AddPause(worker, static_cast<double>(asleep_ns), TokenPause::kTimer,
                 WhoEndsSleeps(timeline_, worker, step.from_ns, step.to_ns));
      }
    }
    if (std::exchange(just_came_, false)) ++draft_.SeatsOf(worker).behind;
  }

  // It slept by a timer, as it found no seat, and looked again.
  bool IsLookForSeat(const RequestStep& step) const {
    return step.kind == RequestStepKind::kTimer && queues_ != nullptr && IsAtHolder() &&
           queues_->IsLookedFor(NextPort());
  }

  // For a seat that the request needs on its way, or for as long as it takes to see that it does
  // not: a cache is looked up under the lock that is held while it is filled.
  void StandInLine(uint16_t port, EntityId worker) {
    if (!needs_seat_of_.insert(port).second) return;
    LeaveThread();
    const uint32_t pool = draft_.PoolOf(port, worker);
    draft_.Add(TokenDeed::kTake, kNobody).place = pool;
    draft_.Add(TokenDeed::kGive, kNobody).place = pool;
    TakeThread(worker);
  }

  void TellWork(RequestStepKind kind, EntityId worker, const RequestStep& step, double time_ns) {
    switch (kind) {
      case RequestStepKind::kRun: {
        just_came_ = false;
        EndSleep(worker);
        draft_.SeatsOf(worker).run_ns += time_ns;
        draft_.Add(TokenDeed::kRun, worker, time_ns).place = draft_.NodeOf(worker);
        return;
      }
      case RequestStepKind::kRunnable:
        return TellReady(worker, step);
      case RequestStepKind::kDisk: {
        just_came_ = false;
        was_lock_ = false;
        if (const EntityId disk = DiskOfStep(timeline_, step); disk != kNobody) {
          TokenStep& wait = draft_.Add(TokenDeed::kDisk, worker, time_ns, TokenPause::kDisk);
          wait.place = draft_.DiskOf(disk);
          wait.whom = draft_.VertexOf(disk);
          has_slept_ = true;
          return;
        }
        // Another thread's operation, which may be for others, too.
        draft_.Add(TokenDeed::kPause, step.thread, time_ns, TokenPause::kDisk);
        has_slept_ = true;
        return;
      }
      case RequestStepKind::kTimer:
        if (IsLookForSeat(step)) return StandInLine(NextPort(), worker);
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
        static_cast<double>(cpus_.IdleBetween(draft_.NodeOf(worker), step.from_ns, step.to_ns));
    if (waited_lock_ != kNobody) {
      LockSeen& lock = draft_.told().locks[waited_lock_];
      ++lock.waits;
      lock.wake_ns += idle_ns;
      return;
    }
    if (just_came_) {
      SeatsSeen& seats = draft_.SeatsOf(worker);
      seats.wake_ns += idle_ns;
      just_came_ = false;
      return;
    }
    draft_.Add(TokenDeed::kPause, worker, idle_ns, TokenPause::kWake).behind_lock = was_lock_;
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
    draft_.Add(TokenDeed::kPause, step.cause_thread, time_ns, pause).in_lock = true;
    has_slept_ = true;
    was_lock_ = true;
  }

  const Timeline& timeline_;
  const TokenTurns& turns_;
  const std::set<uint32_t>& loops_;
  const TokenLocks& locks_;
  const QueuesInPackets* const queues_;
  const std::vector<uint8_t> is_own_;  // by thread: it works for requests
  const RunningCpus cpus_;
  TokenDraft draft_;
  TokenClients clients_;
  TokenHolds holds_;
  // Of the turn that is being told.
  EntityId holder_ = kNobody;          // of its locks
  std::vector<Level> levels_;          // the root, and servers that ask each other
  std::span<const RequestStep> rest_;  // of its way
  bool is_way_back_ = false;           // the step is the last one of its question to a server
  bool just_came_ = false;             // to that thread
  bool has_slept_ = false;             // that thread, since it last ran
  bool was_lock_ = false;              // … for a lock
  uint32_t waited_lock_ = kNobody;     // … for that station
  // Ports that it asks, or stood in line for: it stands in line where it takes their seats.
  std::set<uint16_t> needs_seat_of_;
};

}  // namespace

ToldTokens TellTokens(const Timeline& timeline, const TokenTurns& turns,
                      std::span<const uint32_t> vertex_of_entity,
                      const std::set<uint32_t>& event_loops, const TokenLocks& locks,
                      const QueuesInPackets* queues) {
  return TokenTeller(timeline, turns, vertex_of_entity, event_loops, locks, queues).Tell();
}

}  // namespace gordian
