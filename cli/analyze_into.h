// SPDX-License-Identifier: Apache-2.0
// From a recording to its report, written: all of `gordian analyze`, and the second half of
// `gordian profile`.
#pragma once

#include <string>

#include "analysis/options.h"
#include "cli/report_outputs.h"

namespace gordian {

// With `predict` the report tells the gains of its findings' fixes. Returns the exit code.
int AnalyzeInto(const std::string& directory, AnalysisOptions options, bool predict,
                const OutputArguments& outputs);

}  // namespace gordian
