// SPDX-License-Identifier: Apache-2.0
// The phases that programs told by probes, in a range: the lane above a timeline's rows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/recorded_phases.h"

namespace gordian {

// The longest of a range are shown; the rest are narrower than a pixel, or hide them.
inline constexpr size_t kMostToldPhases = 3'000;

struct ToldPhase {
  EntityId thread = kNobody;
  uint64_t from_ns = 0;  // since the recording's start
  uint64_t to_ns = 0;
  uint32_t name = 0;  // in RecordedPhases::names
};

struct ToldPhases {
  std::vector<ToldPhase> phases;  // by beginning, then the longer first
  uint64_t left_out = 0;
};

// Those that overlap [from_ns, to_ns), whole.
ToldPhases PhasesWithin(const RecordedPhases& phases, uint64_t start_ns, uint64_t from_ns,
                        uint64_t to_ns);

}  // namespace gordian
