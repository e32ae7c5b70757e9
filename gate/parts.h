// SPDX-License-Identifier: Apache-2.0
// The equal parts of a recording that stand for repeated measurements.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gate/samples.h"
#include "report/time_range.h"

namespace gordian {

// Without its ends, where programs start and stop. Empty for a recording too short to be cut.
std::vector<TimeRange> GateParts(const TimeRange& recording);

// The rate of events at these times, in order of time.
Sample RateOf(std::span<const uint64_t> times_ns, const TimeRange& recording);

// The mean of durations, in order of their ends. Some that follow each other make a part.
Sample MeanDuration(std::span<const uint64_t> durations_ns);

}  // namespace gordian
