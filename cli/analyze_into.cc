// SPDX-License-Identifier: Apache-2.0
#include "cli/analyze_into.h"

#include "cli/analysis_progress.h"
#include "cli/verb.h"
#include "cli/whatif_command.h"

namespace gordian {

int AnalyzeInto(const std::string& directory, AnalysisOptions options, bool predict,
                const OutputArguments& outputs) {
  auto opened = ReportOutputs::Open(outputs);
  if (!opened.ok()) return Fail(opened.status());
  if (predict) options.predictions = FixOptions{.command = WhatIfCommand(directory, options)};
  const auto analysis = AnalyzeShowing(directory, options, outputs.quiet);
  if (!analysis.ok()) return Fail(analysis.status());
  const absl::Status written = opened->Write(*analysis);
  return written.ok() ? kExitSuccess : Fail(written);
}

}  // namespace gordian
