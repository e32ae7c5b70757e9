// SPDX-License-Identifier: Apache-2.0
// Patterns of times whose parts have fixed widths, read without strptime: nearly all times of
// nearly all logs. A text or a pattern that is any different is left to strptime.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/civil_time.h"

namespace gordian {

struct FixedTimeParts {
  absl::CivilSecond second;
  uint64_t fraction_ns = 0;
  std::optional<int> offset_s;  // of the zone, where the text tells it
};

class FixedTime {
 public:
  // Nothing if the pattern has a part without a fixed width, or tells no whole date and time.
  // `year`: of patterns without one; else 0.
  static std::optional<FixedTime> Compile(std::string_view pattern, int year);

  // Nothing if the text is any different from what the pattern says with all its digits: strptime
  // may still understand it.
  std::optional<FixedTimeParts> Parse(std::string_view text) const;

 private:
  struct Part {
    char kind;     // as in the pattern; f: a fraction; 0: a letter that must be there
    char literal;  // that letter, or the fraction's mark
  };
  std::vector<Part> parts_;
  int year_ = 0;
};

// `count` digits at `at`; nothing if they are not all digits.
std::optional<int> DigitsAt(std::string_view text, size_t at, size_t count);

}  // namespace gordian
