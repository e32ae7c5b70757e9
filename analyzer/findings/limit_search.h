// Seeks the limits within a scope.
//
// The scope falls into strongly connected components, and between those there is no circle. So
// there are some that wait for no other: knots and sinks. Each of those either is a limit, and then
// those who wait for it are not asked (they are slow because it is), or it is none: a background
// knot, an idle thread, a sleeper or a peer (the latter two are reported). One that is none is
// taken away, and those that waited for no other than such come up next. Each component is asked
// once, when the last of those it waits for is gone, and each edge counted down once: the search
// ends, after work in proportion to the edges. Refining knots costs edges × log(edges).
#pragma once

#include <string>
#include <vector>

#include "analyzer/findings/findings.h"
#include "analyzer/findings/limit.h"
#include "analyzer/findings/measures.h"
#include "analyzer/findings/scope.h"
#include "analyzer/findings/target.h"
#include "analyzer/findings/words.h"
#include "schema/report.pb.h"

namespace gordian {

struct LimitSearchResult {
  std::vector<Limit> limits;
  std::vector<pb::ExplainStep> steps;  // if options.explain
};

LimitSearchResult FindLimits(const Measures& measures, const VertexWords& words, const Scope& scope,
                             const Target& target, const FindingOptions& options);

}  // namespace gordian
