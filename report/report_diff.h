// SPDX-License-Identifier: Apache-2.0
// Recordings compared, before and after a change: finding by finding and edge by edge.
#pragma once

#include <span>

#include "schema/listings.pb.h"
#include "schema/report.pb.h"

namespace gordian {

// Matches threads by their names (report/finding_keys.h). Vertices of one name are summed up.
// Weights are compared per second of recording. The biggest change comes first. Of several
// recordings on a side: means, and the limit that is first in most of them. No side is empty.
pb::ReportDiff DiffReports(std::span<const pb::Report> before, std::span<const pb::Report> after);
pb::ReportDiff DiffReports(const pb::Report& before, const pb::Report& after);

}  // namespace gordian
