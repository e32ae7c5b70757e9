// SPDX-License-Identifier: Apache-2.0
// A thread of the recording that does several things at a time (more_at_once.h) is played by
// several threads. Only one of them runs at a time: the one that has its seat.
#pragma once

#include <cstdint>
#include <vector>

#include "whatif/score/score.h"

namespace gordian {

class Seats {
 public:
  explicit Seats(const Score& score) : score_(score), seats_(score.threads()) {}

  // False if another one has it; then Leave will tell that the thread has it.
  bool Take(EntityId thread) {
    Seat& seat = Of(thread);
    if (seat.holder == kNobody) seat.holder = thread;
    if (seat.holder == thread) return true;
    seat.line.push_back(thread);
    return false;
  }
  struct Left {
    bool had_it = false;
    EntityId next = kNobody;  // has it now
  };
  Left Leave(EntityId thread) {
    Seat& seat = Of(thread);
    if (seat.holder != thread) return {};
    seat.holder = kNobody;
    if (!seat.line.empty()) {
      seat.holder = seat.line.front();
      seat.line.erase(seat.line.begin());
    }
    return {true, seat.holder};
  }
  bool IsInOthersWay(EntityId thread) const {
    const Seat& seat = seats_[SeatOf(score_, thread)];
    return seat.holder == thread && !seat.line.empty();
  }
  bool IsTakenByAnother(EntityId thread) const {
    const EntityId holder = seats_[SeatOf(score_, thread)].holder;
    return holder != kNobody && holder != thread;
  }

 private:
  struct Seat {
    EntityId holder = kNobody;
    // Mostly empty, and each replay has one for each thread: a deque would take memory at once.
    std::vector<EntityId> line;
  };
  Seat& Of(EntityId thread) { return seats_[SeatOf(score_, thread)]; }

  const Score& score_;
  std::vector<Seat> seats_;
};

}  // namespace gordian
