// SPDX-License-Identifier: Apache-2.0
// When a log contradicts itself or a model (base/threshold.h says how to read and move these).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/threshold.h"

namespace gordian {

// Nanoseconds that a line may be older than the one before. Several threads may write one log:
// their lines are a little out of order although no clock jumped.
GORDIAN_THRESHOLD(uint64_t, kClockJumpNs, 100'000'000);

// Letters, blanks left out. A line with so many of a rule's fixed texts, all of them and in order,
// almost fits that rule. Fewer, as a colon, stand in any line.
GORDIAN_THRESHOLD(size_t, kFixedBytesOfARule, 3);

}  // namespace gordian
