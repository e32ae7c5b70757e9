// SPDX-License-Identifier: Apache-2.0
// What requests of the root hold that others of them wait for: locks. Inner to the library.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "analysis/token_turns.h"
#include "analyzer/timeline/timeline.h"

namespace gordian {

// What threads of one vertex wait for while threads of another one work for other requests: whether
// the program calls it a lock, a latch or a row does not matter.
struct TokenLock {
  uint32_t waiter = 0;  // vertices
  uint32_t holder = 0;
  // Held by connections of another server, from one question of a request to a later one: a row, in
  // a transaction.
  bool is_nested = false;
  // Taken in one request, and given back in a later one of the same client: a transaction of
  // several questions. No request shows such a hold.
  bool outlives_requests = false;
  uint32_t seats = 1;  // a semaphore's permits: so many requests hold it while others wait
};

struct LockHold {
  uint32_t lock = 0;  // in TokenLocks
  uint64_t take_ns = 0;
  uint64_t give_ns = 0;
};

struct TokenLocks {
  std::vector<TokenLock> locks;
  std::vector<std::vector<LockHold>> of_turn;  // by turn, in order of taking
  // By turn and step: the lock that is waited for there, or kNobody.
  std::vector<std::vector<uint32_t>> waits;
  // … the lock of another server that is waited for before and behind that step, in one question.
  std::vector<std::vector<uint32_t>> looks;
};

// A hold ends with the wake of who waits next. It begins with the end of the own wait, or, as that
// was not seen, as long before as others last at the median, but not later than the one that is
// woken found the lock taken.
TokenLocks LocksOfTurns(const Timeline& timeline, const TokenTurns& turns,
                        std::span<const uint32_t> vertex_of_entity,
                        const std::set<uint32_t>& event_loops);

}  // namespace gordian
