// SPDX-License-Identifier: Apache-2.0
// Saves the minute before a frame's end as a recording.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "live/live_session.h"

namespace gordian {

// In a new folder in `beside`, named after the recording and the frame's time. Gives the folder.
// The statuses of CutSession.
absl::StatusOr<std::string> SaveMinute(const LiveMoment& moment, const std::string& beside);

}  // namespace gordian
