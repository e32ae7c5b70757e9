// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/evidence/waiters.h"

#include <algorithm>

#include "analyzer/findings/evidence/thresholds.h"

namespace gordian {

std::vector<WaitedFor> FindWaiters(const Measures& measures, const Scope& scope) {
  std::vector<double> busy_ns(scope.contains.size());  // at work or at waits
  for (const uint32_t id : scope.vertices) {
    busy_ns[id] = static_cast<double>(measures.vertex(id).active_ns());
  }
  for (const ScopeEdge& edge : scope.edges) {
    busy_ns[edge.from] += static_cast<double>(edge.own_ns);
  }

  std::vector<WaitedFor> waited_for(scope.contains.size());
  for (const ScopeEdge& edge : scope.edges) {
    const Vertex& from = measures.vertex(edge.from);
    if (edge.from == edge.to || from.is_device()) continue;
    WaitedFor& to = waited_for[edge.to];
    to.share = std::max(to.share, edge.share);
    const double other_ns = busy_ns[edge.from] - static_cast<double>(edge.own_ns);
    if (from.strands <= 1 || other_ns < kAllTheTime * measures.span_ns() ||
        measures.Asks(edge.from, edge.to)) {
      to.needed_share = std::max(to.needed_share, edge.share);
    }
    if (!to.heaviest || edge.weight_ns > to.heaviest->weight_ns) to.heaviest = edge;
  }
  return waited_for;
}

}  // namespace gordian
