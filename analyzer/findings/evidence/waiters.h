// Who waits for each vertex of a scope, and how much.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/findings/evidence/measures.h"
#include "analyzer/findings/evidence/scope.h"

namespace gordian {

// What is known of those who wait for one vertex. Devices do not count: that a disk idles until
// somebody gives it work holds up nobody.
struct WaitedFor {
  double share = 0;  // the largest share of the time that somebody else waits for it
  // The same, without pools whose threads are at work or at other waits for at least one thread's
  // time: the rest of their threads may be spare and wait for work that nobody has.
  double needed_share = 0;
  std::optional<ScopeEdge> heaviest;
};

// By vertex.
std::vector<WaitedFor> FindWaiters(const Measures& measures, const Scope& scope);

}  // namespace gordian
