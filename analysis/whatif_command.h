// SPDX-License-Identifier: Apache-2.0
// The command that asks the same analysis for the gain of a change.
#pragma once

#include <string>

#include "analysis/options.h"

namespace gordian {

// For a shell, without a change: "gordian whatif trace --comm postgres". With all options that
// choose the target and shape findings. So names mean the same, and the first finding, whose cycles
// are counted, is the same.
std::string WhatIfCommand(const std::string& directory, const AnalysisOptions& options);

}  // namespace gordian
