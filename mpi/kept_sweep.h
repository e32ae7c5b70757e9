// SPDX-License-Identifier: Apache-2.0
// The result of a unit that swept a stretch of time. Inner to the room.
#pragma once

#include "absl/status/statusor.h"
#include "analyzer/sums/window_sums.h"
#include "store/store.h"

namespace gordian {

// A failure is the writer's.
void KeepSweep(const SweptWindows& swept, StoreWriter& writer);
// The rows of its windows stay in the entry, which must outlive them. DataLoss if it does not
// check.
absl::StatusOr<SweptWindows> KeptSweepOf(StoredEntry& entry);

}  // namespace gordian
