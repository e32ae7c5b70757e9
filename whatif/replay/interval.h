// SPDX-License-Identifier: Apache-2.0
// The readings of a change, summed up as an interval.
#pragma once

#include <cstdint>
#include <span>

#include "analyzer/timeline/timeline.h"
#include "whatif/replay/replay.h"

namespace gordian {

// Sets the result's low, high and expected.
void SetInterval(const Changes& changes, ReplayResult& result);

// The share of the lives of the threads that make the progress in waits without a known cause.
double Unexplained(const Score& score, const Timeline& timeline,
                   std::span<const ProgressMark> marks);

}  // namespace gordian
