// SPDX-License-Identifier: Apache-2.0
// Which parts of issues a report tells (base/threshold.h says how to read and move these).
#pragma once

#include "base/threshold.h"

namespace gordian {

// Share of a resource's capacity. Less than this is what an idle machine uses anyway.
GORDIAN_THRESHOLD(double, kHardlyUsed, 0.05);
// Share of a phase's duration. A phase that could be shorter by less is no example.
GORDIAN_THRESHOLD(double, kLeastShorter, 0.02);

}  // namespace gordian
