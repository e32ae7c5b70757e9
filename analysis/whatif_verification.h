// SPDX-License-Identifier: Apache-2.0
// A prediction held against a recording that was made after the fix.
//
//   answer on BEFORE, the same work counted in BEFORE and AFTER -> predicted, measured, inside?
//
// Work is what --progress names; else the requests of the server that nothing recorded asks; else
// the one thing that the programs of both recordings count; else the ends of the waits of the first
// finding's threads. Ports and names match, never ids.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "analysis/analysis.h"

namespace gordian {

// FailedPrecondition, with the reason in a line for the user, if the two do not compare: another
// program, another load, other CPUs, too little of either; or if nothing was predicted.
absl::StatusOr<pb::WhatIfVerification> VerifyPrediction(const Analysis& before,
                                                        const Analysis& after,
                                                        const WhatIfRequest& request,
                                                        const pb::WhatIf& answer);

// For the history (whatif/history/history.h). The answer holds its verification. `time` in words.
pb::PredictionScore ScoreOf(const pb::WhatIf& answer, const std::string& before,
                            const std::string& after, const std::string& time);

}  // namespace gordian
