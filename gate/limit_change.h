// SPDX-License-Identifier: Apache-2.0
// Whether a limit is there that was not.
#pragma once

#include <span>

#include "gate/gate.h"

namespace gordian {

struct LimitAnswer {
  Outcome outcome = Outcome::kUndecided;
  Method method = Method::kNone;
  std::string title;     // of the limit that is asked about; empty: `there` has none
  size_t there = 0;      // recordings of that side whose first limit it is
  size_t elsewhere = 0;  // recordings of the other side that have it at all
  uint32_t recordings_needed = 0;
};

// Whether the first limit of most recordings `there` is none of the limits of those `elsewhere`.
LimitAnswer LimitOnlyThere(std::span<const MeasuredRecording> elsewhere,
                           std::span<const MeasuredRecording> there, double false_alarms);

}  // namespace gordian
