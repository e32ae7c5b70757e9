// When samples and records contradict each other (base/threshold.h says how to read and move this).
#pragma once

#include "base/threshold.h"

namespace gordian {

// Share of a sample. Samples and records are measured each by its own clock: what they differ by is
// no news up to this, and counted beyond.
GORDIAN_THRESHOLD(double, kSampleBelowRecords, 0.05);

}  // namespace gordian
