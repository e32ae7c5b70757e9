// Two recordings compared, before and after a change.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "analysis/options.h"
#include "schema/listings.pb.h"
#include "schema/report.pb.h"

namespace gordian {

// Both are analyzed alike, one after the other: a recording's timeline takes memory. An error names
// the folder.
absl::StatusOr<pb::ReportDiff> CompareRecordings(const std::string& before,
                                                 const std::string& after,
                                                 const AnalysisOptions& options = {},
                                                 const AnalysisProgress& progress = {});

}  // namespace gordian
