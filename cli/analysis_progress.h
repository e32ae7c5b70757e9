// SPDX-License-Identifier: Apache-2.0
// The stages of an analysis on the terminal, if they take long.
#pragma once

#include <chrono>
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
  explicit ShownProgress(std::string directory, bool quiet = false);

  // Give it to an analysis, which must end first.
  AnalysisProgress callback() {
    return [this](AnalysisStage stage, double share) { Show(stage, share); };
  }
  // Likewise. On a terminal, and where reading takes long, each look is a line that stays.
  EarlyLookOptions early_looks();

 private:
  void Show(AnalysisStage stage, double share);
  void Show(const EarlyLook& look);
  std::string Doing(AnalysisStage stage) const;

  std::string directory_;
  bool quiet_;
  std::chrono::steady_clock::time_point start_;
  std::string shown_;
  std::optional<SlowProgress> line_;
};

// Whether reading that has taken so long for that share will go on for so long that early looks are
// worth what they cost.
bool IsWorthEarlyLooks(std::chrono::duration<double> passed, double share);

// "so far (6 % read): A waits …"
std::string EarlyLookText(const EarlyLook& look);

// A line on stderr if the analysis needed more memory than --memory allows, because no more could
// be written to files.
void TellMemoryBeyondLimit(const pb::Report& report, bool quiet);

// An analysis with its progress shown; the line is gone again when this returns. What earlier
// analyses kept in the user's store serves it, or in that of the options.
absl::StatusOr<Analysis> AnalyzeShowing(const std::string& directory,
                                        const AnalysisOptions& options, bool quiet = false);

}  // namespace gordian
