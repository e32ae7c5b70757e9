// SPDX-License-Identifier: Apache-2.0
#include "analysis/token_holds.h"

#include <algorithm>

namespace gordian {

void TokenHolds::Begin(std::span<const LockHold> holds) {
  events_.clear();
  for (const LockHold& hold : holds) {
    events_.push_back({hold.take_ns, false, hold.lock});
    events_.push_back({hold.give_ns, true, hold.lock});
  }
  std::stable_sort(events_.begin(), events_.end(),
                   [](const Event& a, const Event& b) { return a.time_ns < b.time_ns; });
  next_ = 0;
}

void TokenHolds::TakeAndGiveUntil(uint64_t time_ns) {
  for (; next_ < events_.size() && events_[next_].time_ns <= time_ns; ++next_) {
    const Event& event = events_[next_];
    draft_.Add(event.is_give ? TokenDeed::kGive : TokenDeed::kTake, kNobody).place =
        draft_.told().locks[event.lock].place;
  }
}

}  // namespace gordian
