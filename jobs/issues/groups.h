// SPDX-License-Identifier: Apache-2.0
// Sets of concurrent phases of one type whose work could have been shared out otherwise.
#pragma once

#include <cstdint>
#include <vector>

#include "jobs/issues/replay.h"
#include "jobs/job/job.h"

namespace gordian {

// The phases of `type` within one phase of `scope_type` that run side by side. In between, types
// may be concurrent (threads of all workers of a superstep) or happen once. If a type is
// sequential, phases of different turns are in different sets.
struct Group {
  PhaseId scope = 0;
  std::vector<PhaseId> members;  // two or more
};
struct GroupLevel {
  PhaseTypeId type = 0;
  PhaseTypeId scope_type = 0;
  std::vector<Group> groups;
};

// By type, each from the narrowest scope (threads of one worker) to the widest (of all workers).
std::vector<GroupLevel> GroupLevels(const Job& job);

// Makes `phase`, with all that is within it, last so long in a replay.
void SetDuration(const Replay& replay, PhaseId phase, int64_t duration_ns, ReplayTimes& times);

}  // namespace gordian
