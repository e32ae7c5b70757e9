// SPDX-License-Identifier: Apache-2.0
// Functions that are asked about and that no sample shows: how much of the CPU time may be theirs.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "whatif/ask/ask.h"

namespace gordian {

// The share of the CPU time of the threads in scope, 19 times of 20; 1 without samples.
double MostUnseenShare(const AnalyzedRecording& recording);

// NotFound, with the reason, if samples cannot tell: there are none, or most of them are in an
// interpreter, whose stacks do not have the functions of its scripts. (Its own functions they
// have.)
absl::Status TellsOfUnseenFunctions(const AnalyzedRecording& recording,
                                    const std::string& function);

}  // namespace gordian
