// SPDX-License-Identifier: Apache-2.0
// Waits that a variation leaves out.
#pragma once

#include <cstdint>

#include "whatif/play/play.h"
#include "whatif/score/score.h"

namespace gordian {

// Whether the disk takes no time.
bool IsFree(const Variation& variation, uint32_t disk);
// Whether waits of that thread for that disk are gone, however it was told that they are over.
bool IsDiskGone(const Score& score, const Variation& variation, EntityId thread, uint32_t disk);
bool IsGone(const Score& score, const Variation& variation, EntityId thread, const Step& step);

}  // namespace gordian
