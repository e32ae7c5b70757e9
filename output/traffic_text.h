// SPDX-License-Identifier: Apache-2.0
// Traffic for a person to read.
#pragma once

#include <string>

#include "traffic/traffic.h"

namespace gordian {

struct TrafficTextOptions {
  size_t most_pairs = 20;
};

// First a sentence with the essential, then the amounts between each pair, then over time, then the
// notes on these numbers.
std::string TrafficText(const Traffic& traffic, const TrafficTextOptions& options);

// "in no phase", "in several phases at once", a phase's label, "0 s – 1 s".
std::string SpanName(const TrafficSpan& span);

}  // namespace gordian
