// SPDX-License-Identifier: Apache-2.0
// Event loops that let requests through at a pace of their own: a rate limit. Inner to the library.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "analysis/token_turns.h"
#include "analyzer/timeline/timeline.h"
#include "whatif/requests/requests.h"

namespace gordian {

struct PacedLoop {
  uint32_t vertex = kNoTokenVertex;
  double busy_ns = 0;  // the time in which a request waited for its timers
};

// Loops whose timers end waits of most of the requests, one after the other: requests that stand
// there together leave in even steps. If each had a time of its own to wait, they would leave as
// they came.
std::vector<PacedLoop> PacedLoops(const TokenTurns& turns,
                                  std::span<const uint32_t> vertex_of_entity,
                                  const std::set<uint32_t>& event_loops);

// Whether they are those of a metronome, and not of whatever came at random. There are some.
bool AreEvenSteps(std::vector<uint64_t> steps_ns);

// Each request waits in line for `each_ns` of the loop's timer, in place of the timers that it was
// seen to wait for.
TokenModel WithPace(const TokenModel& model, uint32_t vertex, double each_ns);

}  // namespace gordian
