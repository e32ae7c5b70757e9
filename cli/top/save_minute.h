// SPDX-License-Identifier: Apache-2.0
// Saves the minute before a frame's end as a recording.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "live/live_session.h"

namespace gordian {

// Cuts the last `length_ns` of each node out into the new folder `out`; of many nodes with a folder
// for each, as `gordian collect` lays them out. On failure nothing stays. The statuses of
// CutSession.
absl::Status CutLastOf(const std::vector<LiveNodeTime>& nodes, uint64_t length_ns,
                       const std::string& out);

// In a new folder in `beside`, named after the recording and the frame's time. Gives the folder.
// The statuses of CutSession.
absl::StatusOr<std::string> SaveMinute(const LiveMoment& moment, const std::string& beside);

}  // namespace gordian
