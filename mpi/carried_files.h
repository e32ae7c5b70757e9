// SPDX-License-Identifier: Apache-2.0
// A session's files besides its events of CPUs (samples of resources, names of code, what programs
// said), for rank 0 where only
// another machine has the session. Inner to the room.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "store/store.h"

namespace gordian {

// Adds them to the result of a unit.
absl::Status KeepFiles(const std::string& directory, StoreWriter& writer);
// Writes them to `folder`, which is made: a session without events.
absl::Status WriteFiles(StoredEntry& entry, const std::string& folder);
// Whether that has been done to its end.
bool AreFilesWritten(const std::string& folder);

}  // namespace gordian
