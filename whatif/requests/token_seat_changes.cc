// SPDX-License-Identifier: Apache-2.0
// More threads, connections and clients.
#include <algorithm>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "whatif/requests/token_changer.h"

namespace gordian {

void TokenChanger::GrowPool(uint32_t pool, uint32_t count) {
  const uint32_t more = count - std::min(count, made_.seats[pool].count);
  made_.seats[pool].count = count;
  for (TokenSeats& seats : made_.seats)
    if (seats.one_each_of == pool && seats.count != kEndlessSeats) seats.count += more;
}

bool TokenChanger::AddThreads(const AddedThreads& added) {
  bool found = false;
  for (TokenSeats& seats : made_.seats) {
    if (seats.vertex != added.vertex || seats.is_pool || seats.is_lock || seats.is_clock ||
        seats.count == kEndlessSeats)
      continue;
    for (uint32_t pool = 0; pool < made_.seats.size(); ++pool) {
      const TokenSeats& its = made_.seats[pool];
      if (its.is_pool && its.of_each && IsOver(its, added.vertex))
        GrowPool(pool,
                 its.count + std::max(1u, its.count / std::max(1u, seats.count)) * added.count);
    }
    // Who begins one more helper has one more connection to helpers.
    const uint32_t pool = seats.one_each_of;
    if (seats.grows && made_.is_private) {
      seats.count += added.count;
      made_.population =
          std::min(made_.population + added.count, std::max(made_.population, ThreadsThatAsk()));
    } else if (pool != kNoTokenPlace && made_.seats[pool].is_private) {
      GrowPool(pool, made_.seats[pool].count + added.count);
    } else {
      seats.count += added.count;
    }
    found = true;
  }
  return found;
}

uint32_t TokenChanger::ThreadsThatAsk() const {
  uint32_t threads = 0;
  for (const TokenSeats& seats : made_.seats) {
    const bool asks =
        std::find(made_.askers.begin(), made_.askers.end(), seats.vertex) != made_.askers.end();
    if (asks && !seats.is_pool && !seats.is_lock && !seats.is_clock && seats.count != kEndlessSeats)
      threads += seats.count;
  }
  return threads;
}

uint32_t TokenChanger::ThreadsThatShare(uint32_t asker) const {
  for (const TokenSeats& seats : made_.seats)
    if (seats.vertex == asker && !seats.is_pool && !seats.is_lock && !seats.is_clock &&
        seats.count != kEndlessSeats && seats.count > made_.population)
      return seats.count;
  return 0;
}

bool TokenChanger::IsOfAny(const TokenSeats& seats, const MoreAtOnce& change) {
  return change.Holds(seats.vertex) ||
         std::any_of(seats.more_askers.begin(), seats.more_askers.end(),
                     [&](uint32_t vertex) { return change.Holds(vertex); });
}

bool TokenChanger::IsOfThreads(uint32_t place) const {
  const TokenSeats& seats = made_.seats[place];
  return !seats.is_pool && !seats.is_lock && !seats.is_clock && seats.count != kEndlessSeats;
}

std::vector<uint32_t> TokenChanger::AskersOfOneEach(const MoreAtOnce& change) const {
  std::vector<uint32_t> askers;
  for (uint32_t pool = 0; pool < made_.seats.size(); ++pool) {
    const TokenSeats& its = made_.seats[pool];
    if (!its.is_pool || !its.of_each || !IsOfAny(its, change)) continue;
    std::vector<uint32_t> of_pool;
    uint64_t threads = 0;
    for (uint32_t place = 0; place < made_.seats.size(); ++place) {
      const uint32_t vertex = made_.seats[place].vertex;
      if (!IsOfThreads(place) || !change.Holds(vertex) || !IsOver(its, vertex)) continue;
      of_pool.push_back(place);
      threads += made_.seats[place].count;
    }
    if (threads > its.count) continue;
    for (const uint32_t place : of_pool)
      if (KeepsSeatFor(pool, place)) askers.push_back(place);
  }
  return askers;
}

bool TokenChanger::KeepsSeatFor(uint32_t pool, uint32_t place) const {
  uint64_t taken = 0;
  uint64_t kept = 0;
  bool is_held = false;
  bool was_held = false;  // by that request
  for (const TokenStep& step : made_.steps) {
    if (step.deed == TokenDeed::kAsk) is_held = was_held = false;
    if (step.deed == TokenDeed::kTake && step.place == place) is_held = was_held = true;
    if (step.deed == TokenDeed::kGive && step.place == place) is_held = false;
    if (step.deed != TokenDeed::kTake || step.place != pool || !was_held) continue;
    ++taken;
    kept += is_held ? 1 : 0;
  }
  return kept * 2 > taken;
}

bool TokenChanger::AskMore(const MoreAtOnce& change) {
  bool found = false;
  if (!change.more_threads)
    for (const uint32_t place : AskersOfOneEach(change))
      made_.seats[place].count = Times(made_.seats[place].count, change.times);
  for (uint32_t place = 0; place < made_.seats.size(); ++place) {
    TokenSeats& seats = made_.seats[place];
    if (seats.is_lock || !IsOfAny(seats, change)) continue;
    if (seats.is_pool) {
      GrowPermits(place, change);
      GrowPool(place, Times(seats.count, change.times));
    } else if (change.more_threads || seats.is_full) {
      seats.count = Times(seats.count, change.times);
    }
    found |= seats.is_pool || seats.is_full;
  }
  if (found && !change.more_threads) return true;
  if (!change.more_threads && AskMoreOfWorkers(change)) return true;
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
  return TakeMoreAtOnce(change);
}

// Who holds one asks there meanwhile, so there are at least as many permits as questions under way.
// Fewer may be seen: requests that found one free are not known to have one. Where a lock is held
// by one at a time, and more questions are under way, others ask without it.
bool TokenChanger::IsPermitFor(uint32_t lock, uint32_t pool) const {
  const TokenSeats& seats = made_.seats[lock];
  const TokenSeats& asked = made_.seats[pool];
  if (!seats.is_lock || !asked.is_pool || !KeepsSeatFor(pool, lock)) return false;
  return seats.count == asked.count || (seats.count > 1 && seats.count < asked.count);
}

void TokenChanger::GrowPermits(uint32_t pool, const MoreAtOnce& change) {
  for (uint32_t lock = 0; lock < made_.seats.size(); ++lock)
    if (change.Holds(made_.seats[lock].vertex) && IsPermitFor(lock, pool))
      made_.seats[lock].count = Times(made_.seats[pool].count, change.times);
}

bool TokenChanger::AskMoreOfWorkers(const MoreAtOnce& change) {
  const bool asks = std::any_of(made_.askers.begin(), made_.askers.end(),
                                [&](uint32_t asker) { return change.Holds(asker); });
  if (asks) return false;
  return MultiplySleepers(change.times, [&](std::span<const TokenStep> steps, uint32_t worker) {
    return IsAnsweredBy(steps, change) && !change.Holds(made_.seats[worker].vertex);
  });
}

bool TokenChanger::TakeMoreAtOnce(const MoreAtOnce& change) {
  return MultiplySleepers(change.times, [&](std::span<const TokenStep>, uint32_t worker) {
    const TokenSeats& seats = made_.seats[worker];
    return change.Holds(seats.vertex) && seats.count < made_.population;
  });
}

bool TokenChanger::MultiplySleepers(
    uint32_t times,
    const std::function<bool(std::span<const TokenStep> steps, uint32_t worker)>& is_one) {
  struct Held {
    double slept_ns = 0;
    double ran_ns = 0;
  };
  std::vector<Held> held(made_.seats.size());
  for (size_t request = 0; request < made_.requests(); ++request) {
    const std::span<TokenStep> steps = StepsOf(request);
    uint32_t worker = kNoTokenPlace;
    for (const TokenStep& step : steps) {
      if (step.deed == TokenDeed::kAnswer) break;
      if (step.deed == TokenDeed::kAsk) worker = kNoTokenPlace;
      if (step.deed == TokenDeed::kTake && IsOfThreads(step.place)) worker = step.place;
      if (step.deed == TokenDeed::kGive && step.place == worker) worker = kNoTokenPlace;
      if (worker == kNoTokenPlace || !is_one(steps, worker)) continue;
      if (step.deed == TokenDeed::kPause || step.deed == TokenDeed::kDisk)
        held[worker].slept_ns += step.ns;
      if (step.deed == TokenDeed::kRun) held[worker].ran_ns += step.ns;
    }
  }
  bool found = false;
  for (uint32_t place = 0; place < held.size(); ++place) {
    if (held[place].slept_ns <= held[place].ran_ns) continue;
    made_.seats[place].count = Times(made_.seats[place].count, times);
    found = true;
  }
  return found;
}

bool TokenChanger::IsAnsweredBy(std::span<const TokenStep> steps, const MoreAtOnce& change) const {
  const auto answer = std::find_if(steps.begin(), steps.end(), [](const TokenStep& step) {
    return step.deed == TokenDeed::kAnswer;
  });
  return std::any_of(answer, steps.end(), [&](const TokenStep& step) {
    return step.deed == TokenDeed::kGive && IsOfThreads(step.place) &&
           change.Holds(made_.seats[step.place].vertex);
  });
}

}  // namespace gordian
