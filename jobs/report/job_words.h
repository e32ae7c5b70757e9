// SPDX-License-Identifier: Apache-2.0
// The words of a report's tables on phases (schema/job.proto).
#pragma once

#include "jobs/bottlenecks/bottlenecks.h"

namespace gordian {

inline const char* BottleneckWord(BottleneckKind kind) {
  switch (kind) {
    case BottleneckKind::kSaturated:
      return "saturated";
    case BottleneckKind::kSelfLimited:
      return "self_limit";
    case BottleneckKind::kBlocked:
      return "blocked";
  }
  return "";
}

}  // namespace gordian
