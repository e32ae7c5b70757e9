// SPDX-License-Identifier: Apache-2.0
#include "cli/analysis_progress.h"

#include "cli/own_store.h"
#include "words/clean_text.h"

namespace gordian {

std::string ShownProgress::Doing(AnalysisStage stage) const {
  switch (stage) {
    case AnalysisStage::kReading:
      return "reading " + CleanText(directory_);
    case AnalysisStage::kPredictions:
      return "predicting";
    case AnalysisStage::kPhases:
      return "phases";
    default:
      return "analyzing " + CleanText(directory_);
  }
}

// Only one of the stages between reading and predicting tells how far it is: they are one line.
void ShownProgress::Show(AnalysisStage stage, double share) {
  std::string doing = Doing(stage);
  if (doing != shown_) {
    line_.reset();
    line_.emplace(doing, quiet_);
    shown_ = std::move(doing);
  }
  if (share > 0) line_->ShowShare(share);
}

absl::StatusOr<Analysis> AnalyzeShowing(const std::string& directory,
                                        const AnalysisOptions& options, bool quiet) {
  ShownProgress progress(directory, quiet);
  if (options.store.keeps_something())
    return Analysis::Run(directory, options, progress.callback());
  AnalysisOptions with_store = options;
  with_store.store = OpenOwnStore(/*quiet=*/true);
  return Analysis::Run(directory, with_store, progress.callback());
}

}  // namespace gordian
