// SPDX-License-Identifier: Apache-2.0
// The measurements of one recording that conditions of a gate ask for.
#pragma once

#include "absl/status/statusor.h"
#include "analysis/analysis.h"
#include "gate/gate.h"

namespace gordian {

// The recording's folder must still be there. `with_parts`: also of its parts, as far as that
// takes more time.
absl::StatusOr<MeasuredRecording> MeasureRecording(const std::string& directory,
                                                   const Analysis& analysis,
                                                   const AnalysisOptions& options,
                                                   const GateRequest& request, bool with_parts);

}  // namespace gordian
