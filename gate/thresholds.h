// SPDX-License-Identifier: Apache-2.0
// The numbers that shape the verdict on a condition (base/threshold.h says how to read and move
// them).
#pragma once

#include <cstdint>

#include "base/threshold.h"

namespace gordian {

// Equal parts of a recording that stand for repeated measurements. More parts depend on each other
// too much, fewer make the test blunt.
GORDIAN_THRESHOLD(uint64_t, kGateParts, 16);
// Parts at each end of a recording that do not count: programs start and stop there.
GORDIAN_THRESHOLD(uint64_t, kGateEndParts, 1);
// Fewer parts that can be measured say nothing.
GORDIAN_THRESHOLD(uint64_t, kFewestGateParts, 8);

// Share of a mean: the standard deviation by which runs of one program are taken to differ, where
// one or two recordings a side cannot show it.
GORDIAN_THRESHOLD(double, kRunToRun, 0.02);

// Seconds of waiting in a second. A relative change of a wait does not count if it is smaller than
// that.
GORDIAN_THRESHOLD(double, kLeastWaitChange, 0.001);

// Share of their members. Two limits of one kind are the same if they have that many in common.
GORDIAN_THRESHOLD(double, kSameMembers, 0.5);

// Times the standard deviation. How far behind the border of the test the true difference must lie
// to be found four times of five.
GORDIAN_THRESHOLD(double, kFoundMostly, 0.84);

}  // namespace gordian
