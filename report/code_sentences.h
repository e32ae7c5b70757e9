// What a finding says of code.
#pragma once

#include "analyzer/stacks/stacks.h"
#include "schema/report.pb.h"

namespace gordian {

// Fills finding.code: of the edge to attack, or the first of the finding's edges that has stacks,
// where it waits, what for, and where it is woken; of a sink, where it runs.
void TellCode(const StackSums& sums, const Code& code, const pb::Report& report,
              pb::Finding& finding);

}  // namespace gordian
