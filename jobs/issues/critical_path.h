// SPDX-License-Identifier: Apache-2.0
// The phases that make up the makespan, and how much later the others could have ended.
#pragma once

#include <cstdint>
#include <vector>

#include "jobs/issues/replay.h"

namespace gordian {

// A piece of the makespan: the phase's own duration, the delay before it, or its tail.
struct CriticalStep {
  enum class Part : uint8_t { kDuration, kDelay, kTail };
  PhaseId phase = 0;
  Part part = Part::kDuration;
  int64_t length_ns = 0;
};

struct CriticalPath {
  std::vector<CriticalStep> steps;  // in the order of time; their lengths add up to the makespan
  std::vector<int64_t> slack_ns;    // by phase: it could end so much later without delaying the job
};

CriticalPath FindCriticalPath(const Job& job, const Replay& replay);

}  // namespace gordian
