// SPDX-License-Identifier: Apache-2.0
// The events that must end before a phase can start, besides the start of the phase around it.
//
// The model's order and the places of phases are taken as far as the recording bears them out. A
// precedence that it contradicts by more than a little (clocks, rounded logs) is left out and
// counted.
#pragma once

#include <cstdint>
#include <vector>

#include "jobs/job/job.h"

namespace gordian {

// The events of a replay. 2p is the start of phase p, 2p + 1 its end; then come joins: the ends of
// several phases at once.
using EventId = uint32_t;
inline EventId StartOf(PhaseId phase) { return 2 * phase; }
inline EventId EndOf(PhaseId phase) { return 2 * phase + 1; }

struct OrderEdge {
  EventId before = 0;
  EventId after = 0;  // a start, or a join
};

struct PhaseOrder {
  std::vector<OrderEdge> edges;
  uint32_t joins = 0;
  uint64_t contradicted = 0;  // precedences that the recording contradicts
};

// The phases within each phase, by start.
std::vector<std::vector<PhaseId>> ChildrenOf(const Job& job);

// Phases that start up to `tolerance_ns` before the end of a predecessor still wait for it.
PhaseOrder OrderOf(const Job& job, const std::vector<std::vector<PhaseId>>& children,
                   uint64_t tolerance_ns);

}  // namespace gordian
