// SPDX-License-Identifier: Apache-2.0
// Targets that were named when the recording began, and are not in it.
#pragma once

#include "analyzer/timeline/timeline.h"
#include "schema/report.pb.h"

namespace gordian {

// Counts them, by their names. If none of the targets is there, the report is about the busiest
// group, which the reader did not ask for: then all findings are doubted. Of many nodes nothing is
// told: a program need not run on each.
void TellUnseenTargets(const Timeline& timeline, pb::Report& report);

}  // namespace gordian
