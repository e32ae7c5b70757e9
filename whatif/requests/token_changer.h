// SPDX-License-Identifier: Apache-2.0
// Another model for each change. Inner to the library.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "whatif/requests/requests.h"

namespace gordian {

class TokenChanger {
 public:
  TokenChanger(const TokenModel& model, bool with_path) : made_(model), with_path_(with_path) {}

  // False if there is no such station here.
  bool Make(const Changes& changes);
  TokenModel Take() { return std::move(made_); }

 private:
  std::span<TokenStep> StepsOf(size_t request) {
    return std::span(made_.steps)
        .subspan(made_.first[request], made_.first[request + 1] - made_.first[request]);
  }
  static bool IsDiskStep(const TokenStep& step) {
    return step.deed == TokenDeed::kDisk ||
           (step.deed == TokenDeed::kPause && step.pause == TokenPause::kDisk);
  }
  static uint32_t Times(uint32_t count, uint32_t times) {
    return static_cast<uint32_t>(std::min<uint64_t>(uint64_t{count} * times, kEndlessSeats));
  }
  static bool IsSleepOf(const TokenStep& step, uint32_t vertex) {
    return step.deed == TokenDeed::kPause && step.pause == TokenPause::kTimer && step.who == vertex;
  }

  // Times, runs, CPUs (token_changes.cc).
  bool ScaleDisk(uint32_t disk, double factor);
  bool ScaleLink(uint32_t link, double factor);
  bool ScaleTimers(const TimerChange& change);
  // If those threads ask by their own clock, more of their requests are open then.
  void AskByFasterClock(const TimerChange& change);
  // A client of the same server that slept when the request came looked for what was there before.
  // If it sleeps less, its work goes on while the other client takes its turn.
  static void BeginBefore(std::span<TokenStep> steps, const TimerChange& change);
  // Work that no request does slows nothing down here: it is no token's.
  void ScaleRuns(const RunChange& change);
  // Times `factor_of(step)`; waits for locks in proportion to what is left of their holds, twice:
  // a shorter hold is met less often, too. Returns whether anything changed.
  bool ScaleSteps(const std::function<double(const TokenStep&)>& factor_of);
  bool SetCpus(const CpuChange& change);

  // Disks, locks and questions (token_wait_changes.cc).
  bool DropWaits(std::span<const WaitChange> changes);
  // The operation is not asked for: its wait, the wake behind it and the CPU time around it go.
  // kNoTokenVertex: of anybody.
  bool DropDisk(uint32_t who, uint32_t disk);
  void DropStop(std::span<TokenStep> steps, size_t at);
  // Another server is not asked: what it did is gone, and the asker's sleep and wake. False if it
  // is not asked by those threads.
  bool DropQuestions(const WaitChange& change);
  void DropQuestion(std::span<TokenStep> steps, size_t take, size_t give);
  // Never held by those threads.
  bool DropLock(const WaitChange& change);
  // Whether what those threads do for requests is mostly no part of a wait for a lock.
  bool WorksOutsideOfLocks(const WaitChange& change) const;
  // A lock that clients hold while their question is under way: without it each thread has a
  // connection of its own, and with so many locks there is a connection for each. kEndlessSeats:
  // without it. False if those threads share no connections.
  bool HaveMoreConnections(uint32_t waiter, uint32_t holder, uint32_t times);
  // What clients do with a lock behind an answer, until they give it back, is a part of their next
  // turn, and nobody waits for it but they.
  void WorkBeforeQuestions(uint32_t lock, uint32_t asker);
  // Threads that share connections work while others ask. With one each their next question has to
  // wait for that.
  void WorkBetweenQuestions(uint32_t asker);
  // Helpers do the operation, and its thread is not woken for it.
  bool LeaveDisk(const WaitChange& change);
  // Each request needs one of the new locks, whichever it is.
  bool SplitLock(const LockSplit& split);

  // Threads, connections, clients (token_seat_changes.cc).
  // With as many more threads of a server that has one for each connection.
  void GrowPool(uint32_t pool, uint32_t count);
  bool AddThreads(const AddedThreads& added);
  // Of all vertices that ask.
  uint32_t ThreadsThatAsk() const;
  // Threads that share fewer connections; 0: each has its own.
  uint32_t ThreadsThatShare(uint32_t asker) const;
  // Whether that vertex asks over it.
  static bool IsOver(const TokenSeats& pool, uint32_t vertex) {
    return pool.vertex == vertex || std::find(pool.more_askers.begin(), pool.more_askers.end(),
                                              vertex) != pool.more_askers.end();
  }
  static bool IsOfAny(const TokenSeats& seats, const MoreAtOnce& change);
  bool IsOfThreads(uint32_t place) const;
  // … or of as many as it takes.
  bool IsOfAnyThreads(uint32_t place) const {
    const TokenSeats& seats = made_.seats[place];
    return !seats.is_pool && !seats.is_lock && !seats.is_clock;
  }
  // A pool of connections has more; else who asks has more requests open.
  bool AskMore(const MoreAtOnce& change);
  // Threads that each wait for the answer over a connection of their own, and are no more than
  // these connections: more questions under way are more of them.
  std::vector<uint32_t> AskersOfOneEach(const MoreAtOnce& change) const;
  // Whether requests mostly have a seat of `place` when they take one of the pool: no loop of
  // events works for them.
  bool KeepsSeatFor(uint32_t pool, uint32_t place) const;
  // What is held around questions, by as many requests as have one under way, is the permit to ask:
  // more under way are more permits.
  void GrowPermits(uint32_t pool, const MoreAtOnce& change);
  bool IsPermitFor(uint32_t lock, uint32_t pool) const;
  // Connections that were not seen: each worker that slept with a request which such a thread
  // answered had one of them.
  bool AskMoreOfWorkers(const MoreAtOnce& change);
  // Those threads ask nobody, but serve, and sleep with requests at hand. They have more of them at
  // a time where all of them were at work.
  bool TakeMoreAtOnce(const MoreAtOnce& change);
  // So many times as many seats of workers that mostly sleep with those requests. False: none do.
  bool MultiplySleepers(
      uint32_t times,
      const std::function<bool(std::span<const TokenStep> steps, uint32_t worker)>& is_one);
  // Whether such a thread answers the request.
  bool IsAnsweredBy(std::span<const TokenStep> steps, const MoreAtOnce& change) const;

  TokenModel made_;
  const bool with_path_;
};

}  // namespace gordian
