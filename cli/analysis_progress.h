// SPDX-License-Identifier: Apache-2.0
// The stages of an analysis on the terminal, if they take long.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "analysis/analysis.h"
#include "analysis/options.h"
#include "cli/slow_progress.h"

namespace gordian {

class ShownProgress {
 public:
  explicit ShownProgress(std::string directory, bool quiet = false)
      : directory_(std::move(directory)), quiet_(quiet) {}

  // Give it to an analysis, which must end first.
  AnalysisProgress callback() {
    return [this](AnalysisStage stage, double share) { Show(stage, share); };
  }

 private:
  void Show(AnalysisStage stage, double share);
  std::string Doing(AnalysisStage stage) const;

  std::string directory_;
  bool quiet_;
  std::string shown_;
  std::optional<SlowProgress> line_;
};

// An analysis with its progress shown; the line is gone again when this returns. What earlier
// analyses kept in the user's store serves it, or in that of the options.
absl::StatusOr<Analysis> AnalyzeShowing(const std::string& directory,
                                        const AnalysisOptions& options, bool quiet = false);

}  // namespace gordian
