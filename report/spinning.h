// SPDX-License-Identifier: Apache-2.0
// CPUs that are full because threads spin on them: for a lock, or for work that is not there.
#pragma once

#include "schema/report.pb.h"

namespace gordian {

// Where a limit is of CPUs, and much of their time goes to threads of the target that likely spin,
// that is its reason: in the title, with the place, and as the first advice. More CPUs are no fix
// then. The report must have
// its suggestions. Not told of many nodes, whose CPUs are no common pool.
void TellSpinning(pb::Report& report);

}  // namespace gordian
