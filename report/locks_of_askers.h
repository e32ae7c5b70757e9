// SPDX-License-Identifier: Apache-2.0
// Threads that ask a server fewer at a time than they are: what they wait for meanwhile, if it is a
// lock.
#pragma once

#include "schema/report.pb.h"

namespace gordian {

// Findings of requests that threads have under way, without a fix yet: if these threads wait most
// of the time for a lock that another of them holds, that is told, and asked about. A lock of a
// file, or one that the code tells; a row that a database locks is none. The report must have its
// code.
void TellLocksOfAskers(pb::Report& report);

}  // namespace gordian
