// SPDX-License-Identifier: Apache-2.0
#include "cli/analyze_into.h"

#include <chrono>
#include <iostream>
#include <optional>

#include "analysis/kept_report.h"
#include "analysis/this_program.h"
#include "analysis/whatif_command.h"
#include "cli/analysis_progress.h"
#include "cli/own_store.h"
#include "cli/stop_request.h"
#include "cli/verb.h"
#include "store/store.h"

namespace gordian {
namespace {

// What took less is made again as quickly.
constexpr auto kWorthKeeping = std::chrono::seconds(1);

// Ctrl-C ends it early, with a report on what was read.
absl::StatusOr<Analysis> AnalyzeUntilStopped(const std::string& directory, AnalysisOptions options,
                                             bool quiet) {
  const StopRequest stop;
  options.stop_asked = [&stop] { return stop.asked(); };
  ShownProgress progress(directory, quiet);
  options.early_looks = progress.early_looks();
  return Analysis::Run(directory, options, progress.callback());
}

}  // namespace

int AnalyzeInto(const std::string& directory, AnalysisOptions options, bool predict,
                const OutputArguments& outputs) {
  auto opened = ReportOutputs::Open(outputs);
  if (!opened.ok()) return Fail(opened.status());
  if (predict) options.predictions = FixOptions{.command = WhatIfCommand(directory, options)};

  const Store store = OpenOwnStore(outputs.quiet);
  options.store = store;
  const KeptReport kept(store, directory, options, ThisProgram());
  const bool with_page = opened->AnyNeeds(OutputNeed::kPage);
  // A page also holds answers of views, which are told from the timeline.
  const bool needs_more = opened->AnyNeeds(OutputNeed::kStacks) ||
                          opened->AnyNeeds(OutputNeed::kTimeline) ||
                          opened->AnyNeeds(OutputNeed::kPage);
  if (!needs_more) {
    if (const std::optional<pb::PageData> page = kept.Find(false)) {
      const absl::Status written = opened->Write(*page);
      return written.ok() ? kExitSuccess : Fail(written);
    }
  }

  const auto start = std::chrono::steady_clock::now();
  const auto analysis = AnalyzeUntilStopped(directory, options, outputs.quiet);
  if (absl::IsCancelled(analysis.status())) {
    Fail(analysis.status());
    return kExitInterrupted;
  }
  if (!analysis.ok()) return Fail(analysis.status());
  TellMemoryBeyondLimit(analysis->report(), outputs.quiet);
  const bool worth_keeping = std::chrono::steady_clock::now() - start >= kWorthKeeping;
  if (store.damaged_entries() > 0 && !outputs.quiet)
    std::cerr << "gordian: a result kept of an earlier analysis is damaged; it was made again\n";
  const absl::Status written = opened->Write(*analysis);
  if (!written.ok()) return Fail(written);
  if (analysis->stopped()) return kExitInterrupted;
  if (!worth_keeping) return kExitSuccess;
  pb::PageData page;
  if (with_page) {
    page = analysis->Page();
  } else {
    *page.mutable_report() = analysis->report();
  }
  absl::Status is_kept = kept.Keep(page, with_page);
  is_kept.Update(analysis->KeepStages());
  if (!is_kept.ok()) TellNotKept(is_kept, outputs.quiet);
  return kExitSuccess;
}

}  // namespace gordian
