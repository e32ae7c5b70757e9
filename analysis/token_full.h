// SPDX-License-Identifier: Apache-2.0
// Threads that are never idle, behind which requests stand though no walk led to them: a pool of
// helpers whose jobs only a program's memory knows, a reader of a pipe that is full. Inner to the
// library.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "analysis/token_turns.h"
#include "analyzer/timeline/timeline.h"
#include "whatif/requests/requests.h"

namespace gordian {

struct FullStation {
  uint32_t vertex = kNoTokenVertex;
  uint32_t threads = 0;
  uint32_t node = 0;
  double busy_ns = 0;   // of all of them
  double slept_ns = 0;  // … of that, by their own timers
};

// That requests wait for in most of their time, by that time, the longest first. A thread is idle
// while it waits for threads of its own process, or of the programs that ask and serve the root.
std::vector<FullStation> FullStations(const Timeline& timeline, const TokenTurns& turns,
                                      std::span<const uint32_t> vertex_of_entity,
                                      const std::set<uint32_t>& event_loops);

// Each request needs one of its threads for `hold_ns`, in place of all that it was seen to do with
// them.
TokenModel WithFullStation(const TokenModel& model, const FullStation& station, double hold_ns);

}  // namespace gordian
