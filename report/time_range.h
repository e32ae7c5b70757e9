// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace gordian {

// [from_ns, to_ns) on the recording's clock.
struct TimeRange {
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;
  uint64_t length_ns() const { return to_ns > from_ns ? to_ns - from_ns : 0; }
  bool operator==(const TimeRange& other) const = default;
};

// `from_ns` and `to_ns` counted from the recording's start, within the recording.
inline TimeRange RangeOf(uint64_t start_ns, uint64_t end_ns, uint64_t from_ns, uint64_t to_ns) {
  const uint64_t length_ns = end_ns > start_ns ? end_ns - start_ns : 0;
  const uint64_t from = std::min(from_ns, length_ns);
  return {start_ns + from, start_ns + std::clamp(to_ns, from, length_ns)};
}

}  // namespace gordian
