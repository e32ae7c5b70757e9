// SPDX-License-Identifier: Apache-2.0
#include "analysis/token_holds.h"

#include <algorithm>

#include "analysis/token_ways.h"

namespace gordian {
namespace {

// Where other servers have the request.
std::vector<LockHold> OutsideOfQuestions(std::span<const LockHold> holds, const TokenLocks& locks,
                                         std::span<const RequestStep> way,
                                         const TokenTurns& turns) {
  std::vector<LockHold> moved(holds.begin(), holds.end());
  for (size_t begin = 0; begin < way.size();) {
    size_t end = begin;
    while (end < way.size() && !ServersOfStep(turns, way[end]).empty()) ++end;
    if (end == begin) {
      ++begin;
      continue;
    }
    const uint64_t from_ns = way[begin].from_ns;
    const uint64_t to_ns = way[end - 1].to_ns;
    for (LockHold& hold : moved) {
      if (locks.locks[hold.lock].is_nested) continue;
      if (from_ns < hold.take_ns && hold.take_ns < to_ns) hold.take_ns = to_ns;
      if (from_ns < hold.give_ns && hold.give_ns < to_ns) hold.give_ns = from_ns;
    }
    begin = end;
  }
  std::erase_if(moved, [](const LockHold& hold) { return hold.give_ns < hold.take_ns; });
  return moved;
}

}  // namespace

void TokenHolds::Begin(std::span<const LockHold> holds, const TokenLocks& locks,
                       std::span<const RequestStep> way, const TokenTurns& turns) {
  events_.clear();
  due_.clear();
  held_.clear();
  for (const LockHold& hold : OutsideOfQuestions(holds, locks, way, turns)) {
    const bool is_nested = locks.locks[hold.lock].is_nested;
    events_.push_back({hold.take_ns, false, hold.lock, is_nested});
    events_.push_back({hold.give_ns, true, hold.lock, is_nested});
  }
  std::stable_sort(events_.begin(), events_.end(),
                   [](const Event& a, const Event& b) { return a.time_ns < b.time_ns; });
  next_ = 0;
}

void TokenHolds::TakeAndGiveUntil(uint64_t time_ns, bool is_at_holder) {
  if (is_at_holder) TakeWhatIsDue();
  for (; next_ < events_.size() && events_[next_].time_ns <= time_ns; ++next_) {
    const Event& event = events_[next_];
    if (event.is_nested) {
      Tell(event.is_give ? TokenDeed::kGive : TokenDeed::kTake, event.lock);
    } else if (!event.is_give) {
      due_.push_back(event.lock);
      if (is_at_holder) TakeWhatIsDue();
    } else if (std::erase(due_, event.lock) == 0 && std::erase(held_, event.lock) > 0) {
      Tell(TokenDeed::kGive, event.lock);
    }
  }
}

void TokenHolds::TakeWhatIsDue() {
  for (const uint32_t lock : due_) {
    Tell(TokenDeed::kTake, lock);
    held_.push_back(lock);
  }
  due_.clear();
}

void TokenHolds::GiveAll() {
  for (const uint32_t lock : held_) Tell(TokenDeed::kGive, lock);
  held_.clear();
}

void TokenHolds::Tell(TokenDeed deed, uint32_t lock) {
  draft_.Add(deed, kNobody).place = draft_.told().locks[lock].place;
}

}  // namespace gordian
