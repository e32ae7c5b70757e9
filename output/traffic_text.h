// Traffic for a person to read.
#pragma once

#include <string>

#include "traffic/traffic.h"

namespace gordian {

struct TrafficTextOptions {
  size_t most_pairs = 20;
};

// First a sentence that says the essential, then who sends to whom, then when, then what is to be
// known of these numbers.
std::string TrafficText(const Traffic& traffic, const TrafficTextOptions& options);

// "in no phase", "in several phases at once", a phase's label, "0 s – 1 s".
std::string SpanName(const TrafficSpan& span);

}  // namespace gordian
