// SPDX-License-Identifier: Apache-2.0
// An answer on a condition in words.
#pragma once

#include <string>

#include "gate/gate.h"
#include "gate/limit_change.h"

namespace gordian {

// How many recordings each side has.
struct SideSizes {
  size_t before = 0;
  size_t after = 0;
};

const char* OutcomeWords(Outcome outcome);  // holds, does not hold, undecided
const char* MethodWords(Method method);     // recordings, parts, none
const char* UnitWords(Metric metric);

// "cycles of B: 1,004/s -> 884/s, -12 % (-14 % to -10 %), by 3 and 3 recordings".
std::string AnswerText(const FailCondition& condition, const std::string& what,
                       const Answer& answer, SideSizes sizes);
std::string LimitText(const FailCondition& condition, const LimitAnswer& answer, SideSizes sizes);

}  // namespace gordian
