// SPDX-License-Identifier: Apache-2.0
// CPUs that are full because threads spin on them: for a lock, or for work that is not there.
#pragma once

#include <span>

#include "analyzer/suggestions/suggestions.h"
#include "schema/report.pb.h"

namespace gordian {

// Where a limit is of CPUs, and much of their time goes to threads of the target that likely spin,
// that is its reason: in the title, with the place, and as the first advice. More CPUs are no fix
// then; if the place does nothing else, the fix is that its time is gone. The report must have its
// suggestions, which are those found, in their order. Not told of many nodes, whose CPUs are no
// common pool.
void TellSpinning(std::span<const Suggestion> suggestions, pb::Report& report);

}  // namespace gordian
