// SPDX-License-Identifier: Apache-2.0
// How finely a job is looked at (base/threshold.h says how to read and move this).
#pragma once

#include <cstdint>

#include "base/threshold.h"

namespace gordian {

// Nanoseconds. Use and demand are told apart in timeslices of this length, and what programs count
// becomes a rate over it. Shorter ones are fewer switches of a thread than an average needs; longer
// ones hide phases of that length.
// Breaks when moved by 30 %: APhaseDemandsWhereNoPhaseWithinRuns,
// BlockedTimeHoldsForAllWithinExceptForThoseItDoesNotConcern,
// ExactComesFirstAndTheRestGoesByWeight.
GORDIAN_THRESHOLD(uint64_t, kTimesliceNs, 10'000'000);

}  // namespace gordian
