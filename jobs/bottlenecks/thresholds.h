// SPDX-License-Identifier: Apache-2.0
// When a resource holds a phase (base/threshold.h says how to read and move these).
#pragma once

#include <cstdint>

#include "base/threshold.h"

namespace gordian {

// Share of a resource's capacity, or of the demand a phase has by its rule. A phase that uses this
// much uses all of it: the rest goes in switching, and between two timeslices.
// Breaks when moved by 30 %: recording bsp-balanced, AFullResourceHoldsThoseWhoUseIt,
// APhaseThatLimitsItselfCanGrowUpToTheCapacity.
GORDIAN_THRESHOLD(double, kFullShare, 0.95);

// Nanoseconds. A resource that is full for a shorter time holds no phase: bursts are no bottleneck.
// Breaks when moved by 30 %: FullForAMomentIsNotSaturated.
GORDIAN_THRESHOLD(uint64_t, kFullNs, 50'000'000);

}  // namespace gordian
