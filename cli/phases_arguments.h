// SPDX-License-Identifier: Apache-2.0
// The command line of a question about a job's phases, in one process or in many.
#pragma once

#include <CLI/CLI.hpp>

#include "analysis/options.h"
#include "analysis/recorded_job.h"
#include "cli/report_outputs.h"

namespace gordian {

struct PhasesArguments {
  JobRequest job;
  AnalysisOptions analysis;
  OutputArguments outputs;
  bool tree = false;
  bool validate = false;
  bool list_thresholds = false;
};

// `arguments` must outlive the parse.
void AddPhasesOptions(CLI::App& command, PhasesArguments& arguments);

}  // namespace gordian
