// SPDX-License-Identifier: Apache-2.0
// Seeks the limits within a scope.
//
// The scope falls into strongly connected components, and between those there is no circle. So some
// components wait for no other: circles and single vertices. The kinds (kinds/kinds.h) judge each
// of them. A limit hides the components that wait for it: they are slow because of it. Other
// components (a background knot, an idle thread, a sleeper, a peer) are taken away. Components that
// waited only for those come up next. Each component is asked once, when the last component it
// waits for is gone. Each edge is counted down once. So the search ends, after work in proportion
// to the edges. Refining knots costs edges × log(edges).
#pragma once

#include <vector>

#include "analyzer/findings/evidence/evidence.h"
#include "analyzer/findings/evidence/limit.h"
#include "schema/report.pb.h"

namespace gordian {

struct LimitSearchResult {
  std::vector<Limit> limits;
  std::vector<pb::ExplainStep> steps;  // if wanted
};

LimitSearchResult FindLimits(const Evidence& evidence, bool explain);

}  // namespace gordian
