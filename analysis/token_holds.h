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

  // Of the next request.
  void Begin(std::span<const LockHold> holds);
  // Tells those until then.
  void TakeAndGiveUntil(uint64_t time_ns);
  // When the next one is taken or given; the greatest number: never.
  uint64_t next_ns() const {
    return next_ < events_.size() ? events_[next_].time_ns : std::numeric_limits<uint64_t>::max();
  }

 private:
  struct Event {
    uint64_t time_ns = 0;
    bool is_give = false;
    uint32_t lock = 0;
  };

  TokenDraft& draft_;
  std::vector<Event> events_;
  size_t next_ = 0;
};

}  // namespace gordian
