// SPDX-License-Identifier: Apache-2.0
// The store of this user (store/store.h), for the verbs that analyze.
#pragma once

#include "absl/status/status.h"
#include "store/store.h"

namespace gordian {

// A store that keeps nothing if there is none, or it cannot be used; then a line says why.
Store OpenOwnStore(bool quiet);
// The same for verbs that keep nothing: they leave no folder behind, and say nothing.
Store OpenOwnStoreForReading();

// A line for the user: the analysis itself is not at fault.
void TellNotKept(const absl::Status& status, bool quiet);

}  // namespace gordian
