// SPDX-License-Identifier: Apache-2.0
// Sleeps that are none of the program's choice: it waits for an event, and only a time limit ends
// that wait. A lock that its holder keeps, an answer that was lost, a timer of an event loop.
#pragma once

#include "schema/report.pb.h"

namespace gordian {

// Adds advice to each finding of a sleep whose waits are mostly for events. The report must have
// its code.
void TellTimeLimits(pb::Report& report);

}  // namespace gordian
