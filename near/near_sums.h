// SPDX-License-Identifier: Apache-2.0
// What a slice that was swept adds up to: each node adds up its own stretches.
#pragma once

#include "near/near_asker.h"
#include "near/near_slice.h"
#include "near/near_sweep.h"

namespace gordian {

// Without costs and notes, which the asker has.
NearSlice AddUp(NearAsker& asker, const NearSweep& sweep, const NearSliceQuestion& question);

}  // namespace gordian
