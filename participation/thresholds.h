// SPDX-License-Identifier: Apache-2.0
// Numbers that decide what is told of a recording's quality (base/threshold.h).
#pragma once

#include "base/threshold.h"

namespace gordian {

// Share of the time of the target's threads, or of the range. If less of it is in doubt, nobody
// need look at why.
GORDIAN_THRESHOLD(double, kDoubtWorthTelling, 0.01);

}  // namespace gordian
