// SPDX-License-Identifier: Apache-2.0
// Locks that one request takes and gives back, in order of time. Inner to the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "analysis/token_draft.h"
#include "analysis/token_locks.h"

namespace gordian {

class TokenHolds {
 public:
  explicit TokenHolds(TokenDraft& draft) : draft_(draft) {}  // must outlive it

  // Of the next request. While its question is under way its thread sleeps, and the other server
  // waits for no lock of it: what is taken meanwhile is taken behind the answer, and what is given
  // back meanwhile, before the question. So nobody holds a connection and waits for who waits for
  // that. Locks of that server itself are taken and given as they were.
  void Begin(std::span<const LockHold> holds, const TokenLocks& locks,
             std::span<const RequestStep> way, const TokenTurns& turns);
  // What is taken until then is due while its thread does not work for the request.
  void TakeAndGiveUntil(uint64_t time_ns, bool is_at_holder);
  void TakeWhatIsDue();
  // The thread is left, and so is all that it holds.
  void GiveAll();
  // When the next one is taken or given; the greatest number: never.
  uint64_t next_ns() const {
    return next_ < events_.size() ? events_[next_].time_ns : std::numeric_limits<uint64_t>::max();
  }

 private:
  struct Event {
    uint64_t time_ns = 0;
    bool is_give = false;
    uint32_t lock = 0;
    bool is_nested = false;
  };
  void Tell(TokenDeed deed, uint32_t lock);

  TokenDraft& draft_;
  std::vector<Event> events_;
  size_t next_ = 0;
  std::vector<uint32_t> due_;   // locks
  std::vector<uint32_t> held_;  // locks
};

// No program takes two locks in both orders for long. Where that is told, the ends of some holds
// were not seen (an interpreter's lock is given up unseen while nobody waits for it): of the two,
// the one that fewer requests take is left out.
void LeaveOutLocksInBothOrders(TokenModel& model);

}  // namespace gordian
