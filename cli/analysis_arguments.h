// SPDX-License-Identifier: Apache-2.0
// The common options of `gordian analyze`, `profile`, `graph`, `timeline`, `whatif`, `phases` and
// `diff`: on the command line, for those of analysis/options.h.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "analysis/options.h"

namespace gordian {

// The arguments must outlive the parse.
void AddDirectoryOption(CLI::App& command, std::string& directory);
void AddTargetOptions(CLI::App& command, TargetOptions& options);
// --node, which recordings of one node refuse.
void AddNodeOption(CLI::App& command, TargetOptions& options);
// --group, --no-merge, --assume-false-wakeups, --link, --disk, --capacities and --threads
void AddGraphOptions(CLI::App& command, AnalysisOptions& options);
// --link, --disk, --capacities; AddGraphOptions has them, too.
void AddCapacityOptions(CLI::App& command, CapacityOptions& options);
// Without --explain.
void AddFindingOptions(CLI::App& command, SearchOptions& options);
void AddExplainOption(CLI::App& command, SearchOptions& options);
// --no-predictions
void AddPredictionOption(CLI::App& command, bool& no_predictions);
// --assume-false-wakeups
void AddAssumeOption(CLI::App& command, bool& assume_false_wakeups);
void AddTimeRangeOptions(CLI::App& command, RangeOptions& options);

// For ->transform(): turns 20% or 0.2 into 0.2.
CLI::Validator ShareOfOne();

}  // namespace gordian
