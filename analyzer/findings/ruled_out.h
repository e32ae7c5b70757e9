// What looks big but is not the limit.
#pragma once

#include <vector>

#include "analyzer/findings/limit.h"
#include "analyzer/findings/measures.h"
#include "analyzer/findings/scope.h"
#include "analyzer/findings/target.h"
#include "analyzer/findings/words.h"
#include "schema/report.pb.h"

namespace gordian {

// For each of `limits` whatever waits or runs much and belongs to no limit, biggest first.
std::vector<pb::RuledOut> RuleOut(const Measures& measures, const VertexWords& words,
                                  const Scope& scope, const Target& target,
                                  const std::vector<Limit>& limits, const Limit& limit);

}  // namespace gordian
