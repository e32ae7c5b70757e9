// SPDX-License-Identifier: Apache-2.0
// The verdict on conditions as JUnit's XML, which most build servers show: a test case for each.
#pragma once

#include <string>

#include "schema/listings.pb.h"

namespace gordian {

// A condition that holds is a failure; an undecided one is skipped, or with --strict a failure.
std::string GateJunit(const pb::Gate& gate);

}  // namespace gordian
