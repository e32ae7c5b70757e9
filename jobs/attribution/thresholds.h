// SPDX-License-Identifier: Apache-2.0
// When samples and records contradict each other (base/threshold.h says how to read and move this).
#pragma once

#include "base/threshold.h"

namespace gordian {

// Share of a sample. Samples and records are measured each by its own clock: a difference up to
// this is no news, and is counted beyond.
GORDIAN_THRESHOLD(double, kSampleBelowRecords, 0.05);

}  // namespace gordian
