// SPDX-License-Identifier: Apache-2.0
// A thread that holds a lock while it asks somebody outside. The one who answers late is seldom to
// be changed; that others wait for the lock meanwhile is.
#pragma once

#include "schema/report.pb.h"

namespace gordian {

// Findings of somebody outside who sleeps tell which thread of the target holds a lock while it
// waits for them, and who waits for that lock for most of the time. Advice on a lock that is likely
// becomes sure with it, and goes where the waits are for work. The report must have its code: it
// tells a lock from a wait for work.
void TellHeldLocks(pb::Report& report);

}  // namespace gordian
