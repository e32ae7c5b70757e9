// SPDX-License-Identifier: Apache-2.0
// The vertices that a report's findings rest on.
#pragma once

#include <vector>

#include "schema/report.pb.h"

namespace gordian {

// By vertex: in the scope, or a member of a finding that is not apart from the target.
std::vector<char> InScope(const pb::Report& report);

}  // namespace gordian
