// SPDX-License-Identifier: Apache-2.0
// How long a request is under way, and which threads are blamed for a device's idle time
// (base/threshold.h says how to read and move these).
#pragma once

#include <cstdint>

#include "base/threshold.h"

namespace gordian {

// Bytes that a packet counts as at least, a page: a thread that asks in small packets uses the
// interface as well.
// Breaks when moved by 30 %: OfAKnownSpeedAreBusyForAsLongAsTheirBytesTake.
GORDIAN_THRESHOLD(uint64_t, kLeastBytes, 4096);

// Times the longest service seen. A request that was not seen to complete is unknown after that:
// its completion was missed, by all that is known of the disk.
GORDIAN_THRESHOLD(uint64_t, kLongestServices, 10);

}  // namespace gordian
