// SPDX-License-Identifier: Apache-2.0
// A request that is beyond the limits of the node's owner is cut to them, and the answer says so.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "recorder/sessions/session_limits.h"
#include "schema/control.pb.h"

namespace gordian {

// Cuts `request`; a sentence for each cut goes to `cut`. With `request.require()` a request beyond
// the limits is refused (OutOfRange). Leaves alone what is malformed: CheckedOptions refuses it.
//
// Without a wish for a budget the session gets the owner's, which is no cut.
absl::Status CutToLimits(const SessionLimits& limits, pb::StartRequest& request,
                         std::vector<std::string>& cut);

}  // namespace gordian
