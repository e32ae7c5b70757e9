// SPDX-License-Identifier: Apache-2.0
// Interfaces whose speed nobody told, and that stay at one rate while threads wait for them. That
// rate may be all that they can do, or a steady load: the report says what is true, and how to find
// out.
#pragma once

#include "schema/report.pb.h"

namespace gordian {

// Adds a sentence to each finding whose threads wait for such an interface. The report must have
// its machine's resources.
void TellHighestRates(pb::Report& report);

}  // namespace gordian
