// SPDX-License-Identifier: Apache-2.0
#include "cli/queried_folders.h"

#include <utility>

#include "cli/analysis_progress.h"

namespace gordian {

absl::StatusOr<QueriedFolders> QueriedFolders::Open(std::span<const std::string> folders,
                                                    const AnalysisOptions& options,
                                                    const QueryLimits& limits) {
  QueriedFolders opened;
  std::vector<const Analysis*> recordings;
  for (const std::string& folder : folders) {
    auto analysis = AnalyzeShowing(folder, options);
    if (!analysis.ok()) return analysis.status();
    opened.analyses_.push_back(std::make_unique<const Analysis>(*std::move(analysis)));
    recordings.push_back(opened.analyses_.back().get());
  }
  auto database = QueryDatabase::Open(recordings, limits);
  if (!database.ok()) return database.status();
  opened.database_ = std::make_unique<QueryDatabase>(*std::move(database));
  return opened;
}

}  // namespace gordian
