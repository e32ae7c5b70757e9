// SPDX-License-Identifier: Apache-2.0
#include "analysis/token_holds.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "analysis/token_ways.h"

namespace gordian {
namespace {

// Then, or as soon as another server has the request, whose lock it is. Just behind that: what its
// thread gives up for the question it has given up.
uint64_t InQuestion(std::span<const OpenStretch> questions, uint64_t time_ns) {
  for (const OpenStretch& question : questions)
    if (time_ns < question.to_ns) return std::max(time_ns, question.from_ns + 1);
  return std::numeric_limits<uint64_t>::max();
}

// Where other servers have the request.
std::vector<LockHold> OutsideOfQuestions(std::span<const LockHold> holds, const TokenLocks& locks,
                                         std::span<const RequestStep> way,
                                         const TokenTurns& turns) {
  std::vector<LockHold> moved(holds.begin(), holds.end());
  const std::vector<OpenStretch> questions = QuestionsWithin(turns, way);
  for (LockHold& hold : moved) {
    if (locks.locks[hold.lock].is_nested) {
      hold.take_ns = InQuestion(questions, hold.take_ns);
      continue;
    }
    for (const OpenStretch& question : questions) {
      if (question.from_ns < hold.take_ns && hold.take_ns < question.to_ns)
        hold.take_ns = question.to_ns;
      if (question.from_ns < hold.give_ns && hold.give_ns < question.to_ns)
        hold.give_ns = question.from_ns;
    }
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

void LeaveOutLocksInBothOrders(TokenModel& model) {
  const auto is_lock = [&](const TokenStep& step) {
    return (step.deed == TokenDeed::kTake || step.deed == TokenDeed::kGive) &&
           model.seats[step.place].is_lock;
  };
  std::set<std::pair<uint32_t, uint32_t>> orders;  // the first one is held
  std::map<uint32_t, size_t> takes;
  for (size_t request = 0; request < model.requests(); ++request) {
    std::set<uint32_t> held;
    for (const TokenStep& step : model.StepsOf(request)) {
      if (!is_lock(step)) continue;
      if (step.deed == TokenDeed::kGive) {
        held.erase(step.place);
        continue;
      }
      ++takes[step.place];
      for (const uint32_t other : held) orders.emplace(other, step.place);
      held.insert(step.place);
    }
  }
  std::set<uint32_t> left_out;
  for (const auto& [held, taken] : orders) {
    if (held >= taken || !orders.contains({taken, held})) continue;
    left_out.insert(takes[held] < takes[taken] ? held : taken);
  }
  for (TokenStep& step : model.steps)
    if (is_lock(step) && left_out.contains(step.place)) step = TokenStep{};
}

}  // namespace gordian
