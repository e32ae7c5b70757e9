// SPDX-License-Identifier: Apache-2.0
// Changes of `gordian whatif` as other requests, seats, CPUs or tokens.
#include <algorithm>

#include "whatif/requests/requests.h"

namespace gordian {
namespace {

bool IsKnown(const Changes& changes) {
  const bool waits_known = std::all_of(changes.waits.begin(), changes.waits.end(),
                                       [](const WaitChange& wait) { return !wait.keeps_up; });
  return waits_known && changes.links.empty() && changes.splits.empty() &&
         changes.no_false_wakeups.empty();
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
    for (const WaitChange& change : changes.waits)
      all &= DropDisk(change.from, change.to) || DropLock(change.to);
    for (const AddedThreads& added : changes.added_threads) all &= AddThreads(added);
    for (const TimerChange& change : changes.timers) all &= ScaleTimers(change);
    for (const RunChange& change : changes.runs) ScaleRuns(change);
    for (const CpuChange& change : changes.cpus) all &= SetCpus(change);
    for (const MoreAtOnce& change : changes.more_at_once) all &= AskMore(change);
    return all;
  }

  TokenModel Take() { return std::move(made_); }

 private:
  static bool IsDiskStep(const TokenStep& step) {
    return step.deed == TokenDeed::kDisk ||
           (step.deed == TokenDeed::kPause && step.pause == TokenPause::kDisk);
  }

  bool ScaleDisk(uint32_t disk, double factor) {
    return ScaleSteps(
        [&](const TokenStep& step) { return IsDiskStep(step) && step.whom == disk ? factor : 1; });
  }

  bool ScaleTimers(const TimerChange& change) {
    return ScaleSteps([&](const TokenStep& step) {
      const bool is_timer = step.deed == TokenDeed::kPause && step.pause == TokenPause::kTimer;
      return is_timer && step.who == change.vertex ? change.factor : 1;
    });
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
      const auto steps =
          std::span(made_.steps)
              .subspan(made_.first[request], made_.first[request + 1] - made_.first[request]);
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

  // Never held by that vertex' threads.
  bool DropLock(uint32_t holder) {
    return ScaleSteps(
        [&](const TokenStep& step) { return step.in_lock && step.who == holder ? 0 : 1; });
  }

  bool AddThreads(const AddedThreads& added) {
    bool found = false;
    for (TokenSeats& seats : made_.seats) {
      if (seats.vertex != added.vertex || seats.is_pool || seats.count == kEndlessSeats) continue;
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

  // Threads that share fewer connections have one request each at a time.
  uint32_t MostAsked(uint32_t asker, const MoreAtOnce& change) const {
    for (const TokenSeats& seats : made_.seats)
      if (seats.vertex == asker && !seats.is_pool && !change.more_threads &&
          seats.count != kEndlessSeats && seats.count > made_.population)
        return seats.count;
    return kEndlessSeats;
  }

  // A pool of connections has more; else who asks has more requests open.
  bool AskMore(const MoreAtOnce& change) {
    bool found = false;
    for (TokenSeats& seats : made_.seats) {
      if (!change.Holds(seats.vertex)) continue;
      if (seats.is_pool || change.more_threads) seats.count = Times(seats.count, change.times);
      found |= seats.is_pool;
    }
    if (found && !change.more_threads) return true;
    for (const uint32_t asker : made_.askers) {
      if (!change.Holds(asker)) continue;
      made_.population = std::min(Times(made_.population, change.times), MostAsked(asker, change));
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
