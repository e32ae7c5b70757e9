// SPDX-License-Identifier: Apache-2.0
// Who gives a worker of the kernel its work: of a finding that such a worker is part of, the true
// cause stands one step further.
#pragma once

#include <string>
#include <vector>

#include "analyzer/findings/evidence/case.h"

namespace gordian {

// A sentence for each worker among the members, and for the one that the finding's edge leads to.
// Whoever queues work wakes an idle worker: so its wakes tell whose work it does. (A worker that is
// busy takes the next work without a wake, from whomever that is.)
std::vector<std::string> WhoGivesWork(const Case& it);

}  // namespace gordian
