// SPDX-License-Identifier: Apache-2.0
// Changes of `gordian whatif` as other requests, seats, CPUs or tokens.
#include <algorithm>
#include <utility>

#include "whatif/requests/requests.h"

namespace gordian {
namespace {

bool IsKnown(const Changes& changes) {
  const bool some_stay = std::any_of(changes.waits.begin(), changes.waits.end(),
                                     [](const WaitChange& wait) { return wait.keeps_one_in > 0; });
  return changes.no_false_wakeups.empty() && !some_stay;
}

class TokenChanger {
 public:
  TokenChanger(const TokenModel& model, bool with_path) : made_(model), with_path_(with_path) {}

  // False if there is no such station here.
  bool Make(const Changes& changes) {
    bool all = true;
    for (const DiskChange& change : changes.disks)
      all &= change.factor == 0 ? DropDisk(kNoTokenVertex, change.disk)
                                : ScaleDisk(change.disk, change.factor);
    for (const LinkChange& change : changes.links) all &= ScaleLink(change.link, change.factor);
    for (const WaitChange& change : changes.waits)
      all &= change.keeps_up ? LeaveDisk(change)
                             : DropDisk(change.from, change.to) || DropLock(change);
    for (const LockSplit& split : changes.splits) all &= SplitLock(split);
    for (const AddedThreads& added : changes.added_threads) all &= AddThreads(added);
    for (const TimerChange& change : changes.timers) all &= ScaleTimers(change);
    for (const RunChange& change : changes.runs) ScaleRuns(change);
    for (const CpuChange& change : changes.cpus) all &= SetCpus(change);
    for (const MoreAtOnce& change : changes.more_at_once) all &= AskMore(change);
    return all;
  }

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

  bool ScaleDisk(uint32_t disk, double factor) {
    return ScaleSteps(
        [&](const TokenStep& step) { return IsDiskStep(step) && step.whom == disk ? factor : 1; });
  }

  bool ScaleLink(uint32_t link, double factor) {
    return ScaleSteps([&](const TokenStep& step) {
      const bool is_flight = step.deed == TokenDeed::kPause && step.pause == TokenPause::kNetwork;
      return is_flight && step.whom == link ? factor : 1;
    });
  }

  bool ScaleTimers(const TimerChange& change) {
    const bool found = ScaleSteps(
        [&](const TokenStep& step) { return IsSleepOf(step, change.vertex) ? change.factor : 1; });
    const bool asks =
        std::find(made_.askers.begin(), made_.askers.end(), change.vertex) != made_.askers.end();
    if (!found || !asks || !with_path_ || change.factor >= 1) return found;
    for (size_t request = 0; request < made_.requests(); ++request)
      BeginBefore(StepsOf(request), change);
    return true;
  }

  static bool IsSleepOf(const TokenStep& step, uint32_t vertex) {
    return step.deed == TokenDeed::kPause && step.pause == TokenPause::kTimer && step.who == vertex;
  }

  // A client of the same server that slept when the request came looked for what was there before.
  // If it sleeps less, its work goes on while the other client takes its turn.
  static void BeginBefore(std::span<TokenStep> steps, const TimerChange& change) {
    double turn_ns = 0;
    size_t at = 0;
    for (; at < steps.size() && steps[at].deed != TokenDeed::kAsk; ++at) turn_ns += steps[at].ns;
    const auto slept =
        std::find_if(steps.begin() + static_cast<std::ptrdiff_t>(at), steps.end(),
                     [&](const TokenStep& step) { return IsSleepOf(step, change.vertex); });
    double before_ns = turn_ns * (1 - change.factor);
    for (auto step = slept; step != steps.end() && before_ns > 0; ++step) {
      if (step->deed == TokenDeed::kGive || step->deed == TokenDeed::kTake) continue;
      if (step->deed == TokenDeed::kAnswer) break;
      const double ns = step->ns;
      if (step->deed == TokenDeed::kPause) step->ns -= std::min(ns, before_ns);
      if (step->deed == TokenDeed::kRun && ns <= before_ns) step->goes_on = true;
      before_ns -= ns;
    }
  }

  // Work that no request does slows nothing down here: it is no token's.
  void ScaleRuns(const RunChange& change) {
    ScaleSteps([&](const TokenStep& step) {
      const bool is_run = step.deed == TokenDeed::kRun || step.pause == TokenPause::kRun;
      return is_run && step.who == change.vertex ? change.factor : 1;
    });
  }

  // Times `factor_of(step)`; waits for locks in proportion to what is left of their holds, twice:
  // a shorter hold is met less often, too. Returns whether anything changed.
  template <typename FactorOf>
  bool ScaleSteps(FactorOf factor_of) {
    bool found = false;
    double held_ns = 0;
    double left_ns = 0;
    for (TokenStep& step : made_.steps) {
      const double factor = factor_of(step);
      found |= factor != 1;
      if (step.in_lock) {
        held_ns += step.ns;
        left_ns += step.ns * factor;
      }
      step.ns *= factor;
    }
    if (held_ns > 0 && left_ns < held_ns)
      for (TokenStep& step : made_.steps)
        if (step.in_lock || step.behind_lock) step.ns *= left_ns / held_ns;
    return found;
  }

  // The operation is not asked for: its wait, the wake behind it and the CPU time around it go.
  // kNoTokenVertex: of anybody.
  bool DropDisk(uint32_t who, uint32_t disk) {
    const auto is_gone = [&](const TokenStep& step) {
      return IsDiskStep(step) && step.whom == disk && (who == kNoTokenVertex || step.who == who);
    };
    if (std::none_of(made_.steps.begin(), made_.steps.end(), is_gone)) return false;
    for (size_t request = 0; request < made_.requests(); ++request) {
      const std::span<TokenStep> steps = StepsOf(request);
      for (size_t i = 0; i < steps.size(); ++i)
        if (!steps[i].in_lock && is_gone(steps[i])) DropStop(steps, i);
    }
    // A holder's wait for a CPU was behind its wait for the disk, as all its sleeps were.
    ScaleSteps([&](const TokenStep& step) {
      if (!step.in_lock) return 1;
      return is_gone(step) || step.pause == TokenPause::kWake ? 0 : 1;
    });
    return true;
  }

  // Never held by those threads.
  bool DropLock(const WaitChange& change) {
    bool found = false;
    for (TokenSeats& seats : made_.seats) {
      if (!seats.is_lock || seats.waiter != change.from || seats.vertex != change.to) continue;
      seats.count = kEndlessSeats;
      found = true;
    }
    const bool found_pauses = ScaleSteps(
        [&](const TokenStep& step) { return step.in_lock && step.who == change.to ? 0 : 1; });
    return found || found_pauses || HaveConnectionEach(change);
  }

  // A lock that clients hold while their question is under way: without it each thread has a
  // connection of its own.
  bool HaveConnectionEach(const WaitChange& change) {
    const bool asks =
        change.from == change.to &&
        std::find(made_.askers.begin(), made_.askers.end(), change.from) != made_.askers.end();
    const uint32_t threads = asks ? ThreadsThatShare(change.from) : 0;
    if (threads == 0) return false;
    const uint32_t times = (threads + made_.population - 1) / made_.population;
    for (TokenSeats& seats : made_.seats)
      if (seats.grows) seats.count = Times(seats.count, times);
    WorkBetweenQuestions(change.from);
    made_.population = threads;
    return true;
  }

  // Threads that share connections work while others ask. With one each their next question has to
  // wait for that.
  void WorkBetweenQuestions(uint32_t asker) {
    for (size_t request = 0; request < made_.requests(); ++request) {
      TokenStep* run = nullptr;
      for (TokenStep& step : StepsOf(request)) {
        if (step.deed == TokenDeed::kAsk) break;
        if (step.who != asker) continue;
        if (step.deed == TokenDeed::kRun) run = &step;
        if (step.deed == TokenDeed::kGive && run != nullptr) run->ns += std::exchange(step.ns, 0);
      }
    }
  }

  // Helpers do the operation, and its thread is not woken for it.
  bool LeaveDisk(const WaitChange& change) {
    bool found = false;
    for (size_t request = 0; request < made_.requests(); ++request) {
      const std::span<TokenStep> steps = StepsOf(request);
      for (size_t i = 0; i < steps.size(); ++i) {
        TokenStep& step = steps[i];
        if (step.deed != TokenDeed::kDisk || step.who != change.from || step.whom != change.to)
          continue;
        step.goes_on = found = true;
        for (size_t next = i + 1; next < steps.size() && steps[next].pause == TokenPause::kWake;
             ++next)
          steps[next].ns = 0;
      }
    }
    uint32_t threads = 1;
    for (const TokenSeats& seats : made_.seats)
      if (seats.vertex == change.from && !seats.is_pool && !seats.is_lock &&
          seats.count != kEndlessSeats)
        threads = seats.count;
    for (TokenDisk& disk : made_.disks)
      if (disk.vertex == change.to) disk.most_behind = Times(change.helpers, threads);
    return found;
  }

  // Each request needs one of the new locks, whichever it is.
  bool SplitLock(const LockSplit& split) {
    const auto locks = static_cast<uint32_t>(made_.seats.size());
    bool found = false;
    for (uint32_t lock = 0; lock < locks; ++lock) {
      const TokenSeats seats = made_.seats[lock];
      if (!seats.is_lock || !split.Holds(seats.waiter, seats.vertex)) continue;
      found = true;
      made_.seats[lock].is_grouped |= split.grouped;
      const auto first = static_cast<uint32_t>(made_.seats.size());
      const uint32_t more = std::clamp(split.ways, 1u, kMostTokens) - 1;
      made_.seats.insert(made_.seats.end(), more, made_.seats[lock]);
      for (size_t request = 0; more > 0 && request < made_.requests(); ++request) {
        const auto chosen = static_cast<uint32_t>(request % (more + 1));
        if (chosen == 0) continue;
        for (TokenStep& step : StepsOf(request)) {
          const bool is_seat = step.deed == TokenDeed::kTake || step.deed == TokenDeed::kGive;
          if (is_seat && step.place == lock) step.place = first + chosen - 1;
        }
      }
    }
    return found;
  }

  // With as many more threads of a server that has one for each connection.
  void GrowPool(uint32_t pool, uint32_t count) {
    const uint32_t more = count - std::min(count, made_.seats[pool].count);
    made_.seats[pool].count = count;
    for (TokenSeats& seats : made_.seats)
      if (seats.one_each_of == pool && seats.count != kEndlessSeats) seats.count += more;
  }

  bool AddThreads(const AddedThreads& added) {
    bool found = false;
    for (TokenSeats& seats : made_.seats) {
      if (seats.vertex != added.vertex || seats.is_pool || seats.is_lock ||
          seats.count == kEndlessSeats)
        continue;
      for (uint32_t pool = 0; pool < made_.seats.size(); ++pool) {
        const TokenSeats& its = made_.seats[pool];
        if (its.is_pool && its.of_each && its.vertex == added.vertex)
          GrowPool(pool,
                   its.count + std::max(1u, its.count / std::max(1u, seats.count)) * added.count);
      }
      seats.count += added.count;
      found = true;
    }
    return found;
  }

  void DropStop(std::span<TokenStep> steps, size_t at) {
    steps[at].ns = 0;
    steps[at].deed = TokenDeed::kPause;
    double to_save_ns = with_path_ ? made_.disk_wait_run_ns : 0;
    const uint32_t who = steps[at].who;
    for (size_t i = at + 1; i < steps.size() && steps[i].pause == TokenPause::kWake; ++i)
      steps[i].ns = 0;
    // Half of it lies before the wait, half behind, as far as there is.
    const auto save = [&](size_t i) {
      TokenStep& step = steps[i];
      if (step.deed != TokenDeed::kRun || step.who != who) return;
      const double saved_ns = std::min(step.ns, to_save_ns);
      step.ns -= saved_ns;
      to_save_ns -= saved_ns;
    };
    for (size_t i = at; i-- > 0 && to_save_ns > 0 && steps[i].deed != TokenDeed::kAsk;) save(i);
    for (size_t i = at + 1; i < steps.size() && to_save_ns > 0; ++i) save(i);
  }

  bool SetCpus(const CpuChange& change) {
    if (change.node >= made_.nodes.size()) return false;
    made_.nodes[change.node].cpus =
        std::max(0.1, made_.nodes[change.node].cpus + change.count - made_.nodes[change.node].all);
    return true;
  }

  static uint32_t Times(uint32_t count, uint32_t times) {
    return static_cast<uint32_t>(std::min<uint64_t>(uint64_t{count} * times, kEndlessSeats));
  }

  // Threads that share fewer connections; 0: each has its own.
  uint32_t ThreadsThatShare(uint32_t asker) const {
    for (const TokenSeats& seats : made_.seats)
      if (seats.vertex == asker && !seats.is_pool && !seats.is_lock &&
          seats.count != kEndlessSeats && seats.count > made_.population)
        return seats.count;
    return 0;
  }

  static bool IsOfAny(const TokenSeats& seats, const MoreAtOnce& change) {
    return change.Holds(seats.vertex) ||
           std::any_of(seats.more_askers.begin(), seats.more_askers.end(),
                       [&](uint32_t vertex) { return change.Holds(vertex); });
  }

  // A pool of connections has more; else who asks has more requests open.
  bool AskMore(const MoreAtOnce& change) {
    bool found = false;
    for (uint32_t place = 0; place < made_.seats.size(); ++place) {
      TokenSeats& seats = made_.seats[place];
      if (seats.is_lock || !IsOfAny(seats, change)) continue;
      if (seats.is_pool) {
        GrowPool(place, Times(seats.count, change.times));
      } else if (change.more_threads) {
        seats.count = Times(seats.count, change.times);
      }
      found |= seats.is_pool;
    }
    if (found && !change.more_threads) return true;
    for (const uint32_t asker : made_.askers) {
      if (!change.Holds(asker)) continue;
      const uint32_t threads = change.more_threads ? 0 : ThreadsThatShare(asker);
      const uint32_t more = Times(made_.population, change.times);
      // They have one request each at a time.
      if (threads != 0 && threads <= more) WorkBetweenQuestions(asker);
      made_.population = threads != 0 ? std::min(more, threads) : more;
      for (TokenSeats& seats : made_.seats)
        if (seats.grows) seats.count = Times(seats.count, change.times);
      return true;
    }
    return false;
  }

  TokenModel made_;
  const bool with_path_;
};

}  // namespace

std::optional<TokenModel> ChangedTokens(const TokenModel& model, const Changes& changes,
                                        bool with_path) {
  if (!IsKnown(changes)) return std::nullopt;
  TokenChanger changer(model, with_path);
  if (!changer.Make(changes)) return std::nullopt;
  return changer.Take();
}

}  // namespace gordian
