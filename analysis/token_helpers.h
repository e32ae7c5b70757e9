// SPDX-License-Identifier: Apache-2.0
// Threads that requests wait for, and that no walk comes to: what asks them was not recorded (a
// datagram, memory). Inner to the library.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "analysis/token_work_givers.h"
#include "whatif/requests/requests.h"

namespace gordian {

struct TokenHelper {
  uint32_t vertex = kNoTokenVertex;
  uint32_t threads = 0;
};

// Vertices that requests wait for outside of locks, and of which they have no seat then: few walks
// may have come to them. Those of as many threads as there are tokens are left out, as nobody ever
// waits in line for them, those that are hardly ever at work, and clients. `threads`: by vertex.
std::vector<TokenHelper> HelpersOf(const TokenModel& model, const std::vector<uint32_t>& threads);

// Each thread works for one request at a time: what it does for one is done with its seat. Nothing
// else is taken meanwhile, so nobody can wait for it for ever. Threads to which it gives work
// (`given`, vertices) have no request while it works for that: their seats are given back.
TokenModel WithHelper(const TokenModel& model, const TokenHelper& helper,
                      const std::set<uint32_t>& given = {});

// All of them with which the recording agrees. Waits for a thread that many waited for at once (a
// leader's word) are no line in front of it, and a loop of events works for several at a time.
void SettleHelpers(const std::vector<uint32_t>& threads, const std::set<uint32_t>& event_loops,
                   const GivenWork& given_work, TokenModel& model);

}  // namespace gordian
