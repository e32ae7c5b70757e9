// SPDX-License-Identifier: Apache-2.0
// Why a report names no limit.
#pragma once

#include <string>
#include <vector>

#include "schema/report.pb.h"

namespace gordian {

struct NothingFound {
  std::string why;
  std::vector<std::string> advice;
};

// Of a report without a limit.
NothingFound WhyNothingWasFound(const pb::Report& report);

}  // namespace gordian
