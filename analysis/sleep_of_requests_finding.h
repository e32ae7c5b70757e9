// SPDX-License-Identifier: Apache-2.0
// A limit that only requests show, told where the graph shows none.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "requests/let_through.h"
#include "requests/sleep_of_requests.h"
#include "schema/report.pb.h"

namespace gordian {

// Clients wait all the time for a server whose threads hardly run: its waits look like a pool's
// that has nothing to do, and a client that waits with a timer of its own has no edge to it. Yet
// requests tell where their time goes. If most of it is the sleep of one thread, through however
// many locks, pipes and servers, that is told as the limit. Not told: where the report has a limit
// already, or less than one request is open at a time.
void TellSleepOfRequests(const SleepOfRequests& sleep, std::span<const LetThrough> let_through,
                         const std::vector<uint32_t>& vertex_of_entity, pb::Report& report);

// An event loop delays requests by its own timer: a limit of their rate, or a wait for more of
// them. It serves others meanwhile, and so the graph shows it waiting for whoever woke it last.
// Where a limit of the report is about that loop, it is told in requests' words. Whether it was; no
// other reason for it has to be looked for then.
bool TellOwnTimer(const SleepOfRequests& sleep, const std::vector<uint32_t>& vertex_of_entity,
                  pb::Report& report);

}  // namespace gordian
