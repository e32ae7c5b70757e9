// SPDX-License-Identifier: Apache-2.0
// Waits that are gone: operations of disks, and locks.
#include <algorithm>
#include <utility>
#include <vector>

#include "whatif/requests/token_changer.h"

namespace gordian {

// Threads of a name are often several vertices, and those of the server, too: with the first two of
// them all questions between them may be gone.
bool TokenChanger::DropWaits(std::span<const WaitChange> changes) {
  bool asked = false;
  std::vector<WaitChange> others;
  for (const WaitChange& change : changes) {
    const bool is_question = change.starts_none && !change.keeps_up && DropQuestions(change);
    asked |= is_question;
    if (!is_question) others.push_back(change);
  }
  return std::all_of(others.begin(), others.end(), [&](const WaitChange& change) {
    if (change.keeps_up) return LeaveDisk(change);
    const bool is_gone =
        change.keeps_one_in == 0 && (DropDisk(change.from, change.to) || DropLock(change));
    return is_gone || (change.starts_none && change.keeps_one_in == 0 && asked);
  });
}

bool TokenChanger::DropQuestions(const WaitChange& change) {
  bool found = false;
  uint32_t since = 0;
  for (size_t request = 0; request < made_.requests(); ++request) {
    const std::span<TokenStep> steps = StepsOf(request);
    for (size_t take = 0; take < steps.size(); ++take) {
      const uint32_t pool = steps[take].place;
      if (steps[take].deed != TokenDeed::kTake || !made_.seats[pool].is_pool ||
          !IsOver(made_.seats[pool], change.from))
        continue;
      bool serves = false;
      size_t give = take + 1;
      for (; give < steps.size(); ++give) {
        const TokenStep& step = steps[give];
        if (step.deed == TokenDeed::kGive && step.place == pool) break;
        serves |= step.deed == TokenDeed::kTake && made_.seats[step.place].vertex == change.to &&
                  IsOfAnyThreads(step.place);
      }
      if (!serves || give == steps.size()) continue;
      found = true;
      const bool stays = change.keeps_one_in > 0 && ++since == change.keeps_one_in;
      if (stays) since = 0;
      if (!stays) DropQuestion(steps, take, give);
      take = give;
    }
  }
  return found;
}

// Locks stay, as they may be held from before or until later.
void TokenChanger::DropQuestion(std::span<TokenStep> steps, size_t take, size_t give) {
  for (size_t i = take; i <= give; ++i) {
    const bool is_seat = steps[i].deed == TokenDeed::kTake || steps[i].deed == TokenDeed::kGive;
    if (!is_seat || !made_.seats[steps[i].place].is_lock) steps[i] = TokenStep{};
  }
  for (size_t i = give + 1; i < steps.size() && steps[i].pause == TokenPause::kWake; ++i)
    steps[i].ns = 0;
}

bool TokenChanger::DropDisk(uint32_t who, uint32_t disk) {
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

void TokenChanger::DropStop(std::span<TokenStep> steps, size_t at) {
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

// Waits for other threads that are no stations are told by what those threads do. Where they do
// more of it outside of locks, as a helper that is asked over a pipe does, taking the parts of
// locks away alone would be no answer.
bool TokenChanger::WorksOutsideOfLocks(const WaitChange& change) const {
  if (change.from == change.to) return false;
  double in_locks_ns = 0;
  double outside_ns = 0;
  for (const TokenStep& step : made_.steps)
    if (step.who == change.to) (step.in_lock ? in_locks_ns : outside_ns) += step.ns;
  return outside_ns > in_locks_ns;
}

bool TokenChanger::DropLock(const WaitChange& change) {
  bool found = false;
  for (uint32_t lock = 0; lock < made_.seats.size(); ++lock) {
    TokenSeats& seats = made_.seats[lock];
    if (!seats.is_lock || seats.waiter != change.from || seats.vertex != change.to) continue;
    if (seats.outlives_requests) return false;
    // As many are under way to another server as have the permit to ask: it allowed no more.
    for (uint32_t pool = 0; pool < made_.seats.size(); ++pool)
      if (IsPermitFor(lock, pool))
        GrowPool(pool, std::max(made_.seats[pool].count, made_.population));
    seats.count = kEndlessSeats;
    for (TokenStep& step : made_.steps)
      if (step.looks_for == lock) step.ns = 0;
    if (change.from == change.to) WorkBeforeQuestions(lock, change.from);
    found = true;
  }
  if (!found && WorksOutsideOfLocks(change)) return false;
  const bool found_pauses = ScaleSteps(
      [&](const TokenStep& step) { return step.in_lock && step.who == change.to ? 0 : 1; });
  return found || found_pauses || HaveMoreConnections(change.from, change.to, kEndlessSeats);
}

bool TokenChanger::HaveMoreConnections(uint32_t waiter, uint32_t holder, uint32_t times) {
  const bool asks = waiter == holder && std::find(made_.askers.begin(), made_.askers.end(),
                                                  waiter) != made_.askers.end();
  const uint32_t threads = asks ? ThreadsThatShare(waiter) : 0;
  if (threads == 0) return false;
  const uint32_t connections = std::min(threads, Times(made_.population, times));
  const uint32_t more_times = (connections + made_.population - 1) / made_.population;
  for (TokenSeats& seats : made_.seats)
    if (seats.grows) seats.count = Times(seats.count, more_times);
  if (connections == threads) WorkBetweenQuestions(waiter);
  made_.population = connections;
  return true;
}

void TokenChanger::WorkBeforeQuestions(uint32_t lock, uint32_t asker) {
  for (size_t request = 0; request < made_.requests(); ++request) {
    const std::span<TokenStep> steps = StepsOf(request);
    const auto run = std::find_if(steps.begin(), steps.end(), [&](const TokenStep& step) {
      return step.deed == TokenDeed::kRun && step.who == asker;
    });
    if (run == steps.end()) continue;
    for (TokenStep& step : steps)
      if (step.deed == TokenDeed::kGive && step.place == lock && step.who == asker)
        run->ns += std::exchange(step.ns, 0);
  }
}

void TokenChanger::WorkBetweenQuestions(uint32_t asker) {
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

bool TokenChanger::LeaveDisk(const WaitChange& change) {
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
    if (seats.vertex == change.from && !seats.is_pool && !seats.is_lock && !seats.is_clock &&
        seats.count != kEndlessSeats)
      threads = seats.count;
  for (TokenDisk& disk : made_.disks)
    if (disk.vertex == change.to) disk.most_behind = Times(change.helpers, threads);
  return found;
}

bool TokenChanger::SplitLock(const LockSplit& split) {
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
  return found || (!split.grouped && HaveMoreConnections(split.from, split.to, split.ways));
}

}  // namespace gordian
