// SPDX-License-Identifier: Apache-2.0
// Clients that wait because a listening socket's accept queue was full when they came. The kernel
// drops such a connection's packet, and its sender tries again a second later (then two, four).
// Samples of the queue seldom see it full: it need only be full for the moment of a burst.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analyzer/waits/waits.h"
#include "report/accept_queues.h"
#include "report/time_range.h"
#include "schema/report.pb.h"

namespace gordian {

struct TurnedAway {
  uint32_t node = 0;
  double times = 0;    // of all sockets of the node's network namespace
  std::string socket;  // the one that was seen full, if only one was; else empty
  double backlog = 0;
  double full_share = 0;  // of the samples
};

TurnedAway TurnedAwayOf(const SampledQueues& sampled, uint32_t node);

// Makes it the limit where a finding is about waits for a network or a timer, and connections were
// turned away about as often as it waited, and for as long.
void TellTurnedAway(const Waits& waits, const std::vector<uint32_t>& vertex_of_entity,
                    const TimeRange& range, std::span<const TurnedAway> nodes, pb::Report& report);

}  // namespace gordian
