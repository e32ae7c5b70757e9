// SPDX-License-Identifier: Apache-2.0
// Recorded requests told as the steps of tokens, before it is known what their seats cost. Inner to
// the library.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "analysis/running_cpus.h"
#include "analysis/token_locks.h"
#include "analysis/token_queues.h"
#include "analysis/token_turns.h"
#include "analyzer/timeline/timeline.h"
#include "whatif/requests/requests.h"

namespace gordian {

// What was seen of the seats of a vertex' threads, of all turns together.
struct SeatsSeen {
  uint32_t place = 0;
  std::set<EntityId> threads;
  uint64_t takes = 0;
  uint64_t behind = 0;  // … of a thread that worked for others
  uint64_t sleeps = 0;  // on the way, not while it was left
  double wake_ns = 0;
  double run_ns = 0;
};

struct LockSeen {
  uint32_t place = 0;
  uint32_t waiter = 0;  // a vertex
  uint64_t waits = 0;
  double wake_ns = 0;  // behind them
};

struct ToldTokens {
  TokenModel model;
  std::map<uint16_t, uint32_t> pools;  // by port
  std::map<uint32_t, SeatsSeen> seen;  // by vertex
  std::vector<LockSeen> locks;         // as in TokenLocks
  std::map<uint32_t, uint32_t> disks;  // by vertex: its place
  std::vector<VisitCost> visits;       // stops: times ready for a CPU, waits for disks
  bool stood_in_line = false;          // some, for a seat that packets show
};

// CPU time of sleeps is told as runs of no length (kWake), and that behind gives as 0. Without
// `queues` (null) a request that stands at a loop which sleeps waits for that sleep.
ToldTokens TellTokens(const Timeline& timeline, const TokenTurns& turns,
                      std::span<const uint32_t> vertex_of_entity,
                      const std::set<uint32_t>& event_loops, const TokenLocks& locks,
                      const QueuesInPackets* queues);

}  // namespace gordian
