// SPDX-License-Identifier: Apache-2.0
// The stretch before a moment of a live session, cut out as a recording.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "live/live_session.h"

namespace gordian {

// Cuts the last `length_ns` of each node out into the new folder `out`; of many nodes with a folder
// for each, as `gordian collect` lays them out. On failure nothing stays. The statuses of
// CutSession.
absl::Status CutLastOf(const std::vector<LiveNodeTime>& nodes, uint64_t length_ns,
                       const std::string& out);

}  // namespace gordian
