// SPDX-License-Identifier: Apache-2.0
// The result of a unit that read a node's traffic. Inner to the room.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "store/store.h"
#include "traffic/traffic_parts.h"

namespace gordian {

// A failure is the writer's.
void KeepTrafficPart(const TrafficPart& part, StoreWriter& writer);
// DataLoss if the entry does not check; `spans`: how many there are in its plan.
absl::StatusOr<TrafficPart> KeptTrafficPartOf(StoredEntry& entry, size_t spans);

}  // namespace gordian
