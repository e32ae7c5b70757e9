// SPDX-License-Identifier: Apache-2.0
// How far into a stack is looked (base/threshold.h says how to read and move these).
#pragma once

#include <cstddef>

#include "base/threshold.h"

namespace gordian {

// Frames. Two waits went the same way if so many are equal. Fewer cannot tell two users of a lock
// apart; more tell callers apart that do the same.
GORDIAN_THRESHOLD(size_t, kWaitFrames, 3);

// Frames of the program and its libraries, from the inner end. A lock is taken in the innermost;
// further out names tell of other things.
GORDIAN_THRESHOLD(size_t, kLockFrames, 5);

}  // namespace gordian
