// SPDX-License-Identifier: Apache-2.0
// What a recording of many nodes tells beside its timeline, in the timeline's entry of the store.
#pragma once

#include "absl/status/status.h"
#include "analysis/recording.h"
#include "store/store.h"

namespace gordian {

// A failure is the writer's. `recording` must be of many nodes.
void KeepNodes(const LoadedRecording& recording, StoreWriter& writer);

// False of one node's recording.
bool HasKeptNodes(const StoredEntry& entry);

// Fills in nodes, directories and left_out. DataLoss if the entry does not check.
absl::Status ReadKeptNodes(StoredEntry& entry, LoadedRecording& recording);

}  // namespace gordian
