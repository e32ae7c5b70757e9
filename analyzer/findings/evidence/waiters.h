// SPDX-License-Identifier: Apache-2.0
// Which vertices wait for each vertex of a scope, and how much.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/findings/evidence/measures.h"
#include "analyzer/findings/evidence/scope.h"

namespace gordian {

// The waiters of one vertex. Devices do not count: a disk that idles until it gets work holds up no
// thread.
struct WaitedFor {
  double share = 0;  // the largest share of the time that another vertex waits for it
  // The same without pools whose threads are at work, or at other waits, for at least one thread's
  // time. The rest of such a pool may be spare threads that wait for work that does not exist; but
  // not if they ask, and wait for answers.
  double needed_share = 0;
  std::optional<ScopeEdge> heaviest;
};

// By vertex.
std::vector<WaitedFor> FindWaiters(const Measures& measures, const Scope& scope);

}  // namespace gordian
