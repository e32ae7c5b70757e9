// SPDX-License-Identifier: Apache-2.0
// The command line of an analysis that makes a report, in one process or in many.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "analysis/analysis.h"
#include "cli/report_outputs.h"

namespace gordian {

struct AnalyzeArguments {
  std::string directory;
  AnalysisOptions options;
  bool no_predictions = false;
  OutputArguments outputs;
};

// `quiet` says what --quiet leaves out. `arguments` must outlive the parse.
void AddAnalyzeOptions(CLI::App& command, AnalyzeArguments& arguments, const char* quiet);

}  // namespace gordian
