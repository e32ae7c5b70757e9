// Two recordings compared, before and after a change: finding by finding and edge by edge.
#pragma once

#include "schema/listings.pb.h"
#include "schema/report.pb.h"

namespace gordian {

// Matches threads by their names (kind, process, name), because tids change from run to run;
// numbers in names stay. Vertices of one name are summed up. Weights are compared per second of
// recording. The biggest change comes first.
pb::ReportDiff DiffReports(const pb::Report& before, const pb::Report& after);

}  // namespace gordian
