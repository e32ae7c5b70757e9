// How the same analysis is asked what a change would gain.
#pragma once

#include <string>

#include "analysis/options.h"

namespace gordian {

// For a shell, without a change: "gordian whatif trace --comm postgres". With all options that tell
// who is looked at and how findings are made, so that names mean the same, and the first finding,
// whose cycles are counted, is the same.
std::string WhatIfCommand(const std::string& directory, const AnalysisOptions& options);

}  // namespace gordian
