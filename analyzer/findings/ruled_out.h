// SPDX-License-Identifier: Apache-2.0
// Vertices that look big but are not the limit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/findings/evidence/case.h"

namespace gordian {

struct RuledOut {
  uint32_t vertex = 0;
  std::string what;    // A waits 80 % of the time
  std::string reason;  // why that is not the limit
};

// All vertices that wait or run much and do not belong to `limits`, biggest first.
std::vector<RuledOut> RuleOut(const Case& it, const std::vector<Limit>& limits);

}  // namespace gordian
