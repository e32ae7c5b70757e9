// SPDX-License-Identifier: Apache-2.0
// Which of a thread's segments are settled: no record that comes later changes them.
//
// Four things reach back. The last segment's end, kind and waker are open. A sleep may join the
// latest wait, and then all between the two goes. The first event behind an unheard stretch may
// have been a wake that came early. And a spin's segments get their waker when it ends. Whatever
// comes before all of these stays as it is.
#include <algorithm>

#include "analyzer/timeline/thread_history.h"

namespace gordian {

ThreadHistory::Place ThreadHistory::FirstUnsettled() const {
  if (state_ == State::kGone) return {.piece = last_.piece, .slot = last_.slot + 1};
  Place first = last_;
  if (has_wait_) first = std::min(first, last_wait_);
  if (first_was_wake_) first = std::min(first, unheard_);
  if (spinning_ && !spins_.empty()) first = std::min(first, spins_.front());
  return first;
}

// A wait that is over is not joined any more, and the earlier parts of a spin get no waker.
void ThreadHistory::ForgetWhatReachesBack() {
  if (has_wait_ && last_wait_ < last_) {
    has_wait_ = join_waits_ = slept_in_cond_wait_ = false;
    ++counts_.forgotten_waits;
  }
  if (spinning_ && !spins_.empty() && spins_.front() < last_) {
    std::erase_if(spins_, [this](const Place& spin) { return spin < last_; });
    ++counts_.forgotten_spins;
  }
}

void ThreadHistory::TakeSettled(size_t most, std::vector<ThreadSegment>& settled,
                                std::vector<ThreadSegment>& unsettled) {
  next_piece_ = 1;
  if (pieces_[0].empty()) return;  // it is gone, and was given
  const auto rows = std::span(pieces_).first(2);
  rows[last_.piece] = rows[last_.piece].first(last_.slot + 1);
  const size_t in_first = rows[0].size();
  const size_t count = in_first + (last_.piece == 1 ? rows[1].size() : 0);
  // Both pieces as one row.
  const auto number = [in_first](Place place) {
    return place.piece == 0 ? place.slot : in_first + place.slot;
  };
  if (count - number(FirstUnsettled()) > most) ForgetWhatReachesBack();
  const size_t first = number(FirstUnsettled());

  std::vector<ThreadSegment> kept;
  kept.reserve(count - first);
  for (size_t i = 0; i < count; ++i)
    (i < first ? settled : kept).push_back(i < in_first ? rows[0][i] : rows[1][i - in_first]);
  // Places before the first unsettled one are used no more.
  const auto move = [&](Place& place) {
    const size_t at = std::max(number(place), first) - first;
    place = {.piece = 0, .slot = static_cast<uint32_t>(at)};
  };
  if (!spinning_) spins_.clear();
  for (Place* const place : {&last_, &last_wait_, &unheard_}) move(*place);
  for (Place& spin : spins_) move(spin);
  unsettled = std::move(kept);
  pieces_[0] = unsettled;
  filled_ = {0};
}

}  // namespace gordian
