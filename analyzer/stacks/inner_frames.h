// SPDX-License-Identifier: Apache-2.0
// Frames at the inner end of a stack that only tell how the sample was taken: the recorder's own
// programs, their callers, and the scheduler. Every wait begins in the scheduler, and every wake
// ends there.
#pragma once

#include <string_view>

#include "analyzer/stacks/stacks.h"

namespace gordian {

// Whether this kernel function belongs to the taking of a sample on that side.
bool IsTakingOfSample(std::string_view function, StackSide side);

}  // namespace gordian
