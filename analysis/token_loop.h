// SPDX-License-Identifier: Apache-2.0
// Whether requests wait for answers before they come: a closed loop. Inner to the library.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "analyzer/timeline/timeline.h"
#include "requests/requests.h"

namespace gordian {

// An answer, and how long its line asked nothing behind it.
struct AnswerAndPause {
  double response_ns = 0;
  double pause_ns = 0;
};

// In a closed loop a line's pause is its client's own: think time, other work, whatever it waits
// for. It does not depend on how long the answer before it took. In an open loop the next question
// comes when it would have come anyway, so the pause is shorter by as much as the answer took
// longer. `lines`: of each, in order of time. True if the answers' times vary enough to tell, and
// the pauses hardly follow them.
bool PausesAreTheClientsOwn(std::span<const std::vector<AnswerAndPause>> lines);

// Processes by node and number.
using Processes = std::set<std::pair<uint32_t, int32_t>>;

Processes ProcessesThatAnswer(const Timeline& timeline, std::span<const Request* const> requests);

// Of a client, between an answer and its next question.
struct OwnTime {
  uint64_t awake_ns = 0;  // at work, or ready
  uint64_t slept_ns = 0;  // by its own timer, or for a disk
  // For more of its servers, if that is what it waited for at last: the rest of a long answer, or
  // what they send when they have done what they took on. So the question did not come by itself.
  uint64_t served_ns = 0;

  OwnTime& operator+=(const OwnTime& other);
};

// What the thread did within those times.
OwnTime OwnTimeBetween(const Timeline& timeline, EntityId thread, uint64_t from_ns, uint64_t to_ns,
                       const Processes& servers);

// Threads that ask over one connection each.
std::set<EntityId> ClientsOfOneConnection(std::span<const Request* const> requests);

}  // namespace gordian
