// SPDX-License-Identifier: Apache-2.0
#include "cli/analysis_progress.h"

#include <unistd.h>

#include <iostream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/own_store.h"
#include "cli/terminal.h"
#include "report/limits.h"
#include "schema/report.pb.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr auto kLongReading = std::chrono::seconds(10);

}  // namespace

bool IsWorthEarlyLooks(std::chrono::duration<double> passed, double share) {
  return share > 0 && passed / share >= kLongReading;
}

std::string EarlyLookText(const EarlyLook& look) {
  const pb::Finding* const first = FirstLimit(look.report);
  return absl::StrCat("so far (", PercentText(look.share), " read): ",
                      first != nullptr ? CleanText(first->title()) : "nothing that limits it");
}

ShownProgress::ShownProgress(std::string directory, bool quiet)
    : directory_(std::move(directory)), quiet_(quiet), start_(std::chrono::steady_clock::now()) {}

EarlyLookOptions ShownProgress::early_looks() {
  if (quiet_ || !IsTerminal(STDERR_FILENO)) return {};
  return {.show = [this](const EarlyLook& look) { Show(look); },
          .is_worth_it =
              [this](double share) {
                return IsWorthEarlyLooks(std::chrono::steady_clock::now() - start_, share);
              }};
}

void ShownProgress::Show(const EarlyLook& look) {
  if (line_) line_->Say(EarlyLookText(look));
}

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

void TellMemoryBeyondLimit(const pb::Report& report, bool quiet) {
  for (const pb::ReportCounter& counter : report.counters()) {
    if (quiet || counter.name() != "bytes_beyond_memory") continue;
    std::cerr << "gordian: --memory was exceeded by " << FormatSize(counter.value())
              << ": the folder for large columns took no more; set TMPDIR to one on a disk with "
                 "more room\n";
  }
}

absl::StatusOr<Analysis> AnalyzeShowing(const std::string& directory,
                                        const AnalysisOptions& options, bool quiet) {
  AnalysisOptions with_store = options;
  if (!options.store.keeps_something()) with_store.store = OpenOwnStoreForReading();
  auto analysis = [&] {
    ShownProgress progress(directory, quiet);
    return Analysis::Run(directory, with_store, progress.callback());
  }();
  if (analysis.ok()) TellMemoryBeyondLimit(analysis->report(), quiet);
  return analysis;
}

}  // namespace gordian
