// SPDX-License-Identifier: Apache-2.0
// Recordings compared, before and after a change.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analysis/options.h"
#include "gate/gate.h"
#include "schema/listings.pb.h"

namespace gordian {

// Folders; at least one on each side, and at most kMostRecordings.
struct ComparedRecordings {
  std::vector<std::string> before;
  std::vector<std::string> after;
};

// All are analyzed alike, one after the other: a recording's timeline takes memory, while a report
// and its measurements hardly take any. With conditions the gate is judged. An error names the
// folder.
absl::StatusOr<pb::ReportDiff> CompareRecordings(const ComparedRecordings& recordings,
                                                 const AnalysisOptions& options = {},
                                                 const GateRequest& gate = {},
                                                 const AnalysisProgress& progress = {});

}  // namespace gordian
