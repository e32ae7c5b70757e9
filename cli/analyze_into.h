// SPDX-License-Identifier: Apache-2.0
// From a recording to its report, written: all of `gordian analyze`, and the second half of
// `gordian profile`.
#pragma once

#include <string>

#include "analysis/options.h"
#include "cli/report_outputs.h"

namespace gordian {

// With `predict` the report tells the gains of its findings' fixes. Returns the exit code. An
// analysis that is stopped by Ctrl-C writes what it has. Its code is kExitInterrupted: a script
// that goes on by && must not take a part for the whole.
int AnalyzeInto(const std::string& directory, AnalysisOptions options, bool predict,
                const OutputArguments& outputs);

}  // namespace gordian
