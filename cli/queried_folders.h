// SPDX-License-Identifier: Apache-2.0
// One recording or two, analyzed and open for questions in SQL.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analysis/analysis.h"
#include "query/query.h"

namespace gordian {

class QueriedFolders {
 public:
  // Shows its progress.
  static absl::StatusOr<QueriedFolders> Open(std::span<const std::string> folders,
                                             const AnalysisOptions& options,
                                             const QueryLimits& limits);
  QueryDatabase& database() { return *database_; }

 private:
  std::vector<std::unique_ptr<const Analysis>> analyses_;
  std::unique_ptr<QueryDatabase> database_;  // of these
};

}  // namespace gordian
