// SPDX-License-Identifier: Apache-2.0
// The sentences of a finding on code.
#pragma once

#include "analyzer/stacks/stacks.h"
#include "schema/report.pb.h"

namespace gordian {

// Fills finding.code. Of the edge to attack, or the first of the finding's edges with stacks: where
// it waits, the reason, and where it is woken. Of a sink: where it runs.
void TellCode(const StackSums& sums, const Code& code, const pb::Report& report,
              pb::Finding& finding);

}  // namespace gordian
