// SPDX-License-Identifier: Apache-2.0
// Which phases were held by which resource, when (Grade10, Section III-E).
//
//   saturated      the resource was full over an extended period, and the phase used it meanwhile
//   self-limited   the phase used as much of it as its Exact rule allows, though it was not full
//   blocked        the resource was not there
//
// Constants are in thresholds.h, decisions in docs/design-attribution.md.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "jobs/attribution/attribution.h"
#include "jobs/bottlenecks/thresholds.h"

namespace gordian {

enum class BottleneckKind : uint8_t { kSaturated, kSelfLimited, kBlocked };

struct BottleneckOptions {
  // Of the capacity: then the resource is full. Of its Exact demand: the phase is at its limit.
  double full_share = kFullShare;
  uint64_t full_ns = kFullNs;  // at least so long, to be saturated
};

// When one phase was held by one resource in one way, while it demanded by itself (of phases within
// it: theirs). Blocked times are exact, the others whole timeslices, cut to the phase's own time.
struct Held {
  PhaseId phase = 0;
  ResourceId resource = 0;
  BottleneckKind kind = BottleneckKind::kSaturated;
  Ranges times_ns;
};

// The same of a phase with all phases within it. Without phases within, all three times are equal.
struct PhaseBottleneck {
  PhaseId phase = 0;
  ResourceId resource = 0;
  BottleneckKind kind = BottleneckKind::kSaturated;
  uint64_t any_ns = 0;     // while at least one of them was held
  uint64_t summed_ns = 0;  // of each of them, added up
  double share = 0;        // any_ns of the phase's duration
};

// Of all phases of a type, by type of resource.
struct TypeBottleneck {
  PhaseTypeId type = 0;
  ResourceTypeId resource = 0;
  BottleneckKind kind = BottleneckKind::kSaturated;
  uint64_t any_ns = 0;       // of each phase of the type, added up
  double share = 0;          // of the durations of all phases of the type, added up
  uint32_t phases_held = 0;  // how many of them
};

struct Bottlenecks {
  std::vector<Held> held;                 // by resource, phase, kind
  std::vector<PhaseBottleneck> by_phase;  // by phase, resource, kind
  std::vector<TypeBottleneck> by_type;    // by type, resource, kind
  std::vector<Ranges> saturated_slices;   // by resource
};

// `measured` as given to Attribute.
Bottlenecks FindBottlenecks(const Job& job, const Attribution& attribution,
                            const BottleneckOptions& options,
                            std::span<const MeasuredUse> measured = {});

}  // namespace gordian
