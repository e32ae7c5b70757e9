// SPDX-License-Identifier: Apache-2.0
// The order of the findings. Rank, order and verdict are written here and nowhere else.
//
// First the limits, before they are told (RankLimits):
// - limits, then those that perhaps only idle threads wait for, then background, then those apart
//   from the target;
// - among limits first the one by which most is lost: the work that it holds up (the CPU time and
//   time ready to run of all threads of the target that wait for it, directly or through others),
//   times the share of its time that this costs. Either alone misleads: a watchdog that all wait
//   for now and then holds up everything, and costs little. Sleepers and peers that hold up hardly
//   any work are left out;
// - members' suffering (starvation, sleep within a knot) behind their limit, or before it where it
//   is worse.
//
// Then the report's findings, whenever something that bears on their order was added
// (RankFindings):
// - the critical path of a job; findings of phases that cost much of the job; limits; limits that
//   are a guess (sureness.h); the other findings of phases; background and those apart;
// - within one of these as they were added, but threads that a CPU quota holds back pass a wait for
//   them, and a finding whose trusted prediction is clearly above its neighbour's passes it (of
//   work only one that gains nothing counts, as half of the work is a yardstick and no fix).
//   Findings without a prediction stay, and no other finding passes them.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "analyzer/findings/evidence/evidence.h"
#include "analyzer/findings/evidence/limit.h"
#include "schema/report.pb.h"

namespace gordian {

// Of more limits only those with the largest shares are looked at.
inline constexpr size_t kMostLimits = 32;

std::vector<Limit> RankLimits(const Evidence& evidence, std::vector<Limit> limits);

// Orders and numbers the findings. Changes the numbers in explained_by and of issues alike: before
// the call, a number there is a finding's old place. The verdict is the title of the first finding
// if that is a limit; else `verdict_without_limit`, if given; else it stays.
void RankFindings(pb::Report& report, std::string_view verdict_without_limit = "");

// Whether a prediction is so much larger that it is no chance.
bool IsClearlyMore(double one, double other);

}  // namespace gordian
