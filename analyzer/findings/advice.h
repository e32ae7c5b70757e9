#pragma once

#include "analyzer/findings/limit.h"
#include "analyzer/findings/measures.h"
#include "analyzer/findings/target.h"
#include "analyzer/findings/words.h"
#include "schema/report.pb.h"

namespace gordian {

// What one would try for a knot of this pattern, told from the edge to attack.
void AdviseOnKnot(const Measures& measures, const VertexWords& words, const Target& target,
                  const Limit& limit, pb::Finding& finding);

}  // namespace gordian
