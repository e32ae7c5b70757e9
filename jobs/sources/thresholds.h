// When a log contradicts itself (base/threshold.h says how to read and move this).
#pragma once

#include <cstdint>

#include "base/threshold.h"

namespace gordian {

// Nanoseconds that a line may be older than the one before. Several threads may write one log:
// their lines are a little out of order although no clock jumped.
GORDIAN_THRESHOLD(uint64_t, kClockJumpNs, 100'000'000);

}  // namespace gordian
