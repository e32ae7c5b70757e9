// SPDX-License-Identifier: Apache-2.0
// Clients that ask by their own clock: a limit of their rate. Inner to the library.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/token_turns.h"
#include "analyzer/timeline/timeline.h"
#include "whatif/requests/requests.h"

namespace gordian {

struct ClockedClient {
  uint32_t vertex = kNoTokenVertex;
  uint32_t threads = 0;
  uint64_t requests = 0;  // of the root
};

// Event loops (a thread with several connections) that send most of their requests when a timer
// ends, in even steps. A thread with one connection sleeps in its turn, and an event loop whose
// connections rest for a time of their own sends in uneven steps.
std::vector<ClockedClient> ClockedClients(const Timeline& timeline, const TokenTurns& turns,
                                          std::span<const uint32_t> vertex_of_entity);

// Each of the client's requests waits in line for `each_ns` of its timer before it asks. How many
// connections it opens follows from that: so many as were seen are the least.
TokenModel WithClock(const TokenModel& model, const ClockedClient& client, double each_ns);

// The simulation is faster than the recording, and those clients were seen to ask by their clocks:
// these are the rate's limit, if the recording agrees.
void SettleClocks(std::span<const ClockedClient> clients, double span_ns, TokenModel& model);

}  // namespace gordian
