// SPDX-License-Identifier: Apache-2.0
// First results while a long recording is read: its beginning, analyzed as if only that had been
// recorded.
#pragma once

#include <string>

#include "analysis/options.h"
#include "analyzer/timeline/timeline.h"

namespace gordian {

class EarlyLooks {
 public:
  // Both must outlive this object.
  EarlyLooks(const std::string& directory, const AnalysisOptions& options)
      : directory_(directory), options_(options) {}

  // Reading has come so far; shows a look if one is due. One that fails is not shown: the analysis
  // itself will tell why, if it fails, too.
  void At(const ReadSoFar& so_far);

 private:
  bool IsStopped() const { return options_.stop_asked && options_.stop_asked(); }
  void Look(const ReadSoFar& so_far);

  const std::string& directory_;
  const AnalysisOptions& options_;
  double next_share_ = 0.01;
  double looked_at_ = 0;  // the sum of the shares of all looks: what they cost
};

}  // namespace gordian
