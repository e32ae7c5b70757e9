// SPDX-License-Identifier: Apache-2.0
// The result of a unit that swept a stretch of time. Inner to the room.
#pragma once

#include "absl/status/statusor.h"
#include "analyzer/sums/window_sums.h"
#include "store/store.h"

namespace gordian {

// A failure is the writer's.
void KeepSweep(const SweptWindows& swept, StoreWriter& writer);
// DataLoss if the entry does not check.
absl::StatusOr<SweptWindows> KeptSweepOf(StoredEntry& entry);

}  // namespace gordian
