// SPDX-License-Identifier: Apache-2.0
// The numbers that shape a replay (base/threshold.h).
#pragma once

#include <cstdint>

#include "base/threshold.h"

namespace gordian {

// Nanoseconds. A thread that ran for so long gives its CPU to one that waits: the grain of usual
// schedulers.
// Breaks when moved by 30 %: WhatOthersAskOfADiskIsNotSkipped.
GORDIAN_THRESHOLD(uint64_t, kSliceNs, 1'000'000);

}  // namespace gordian
