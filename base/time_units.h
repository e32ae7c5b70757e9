// SPDX-License-Identifier: Apache-2.0
// Times are nanoseconds in whole numbers (…_ns); only times that people read are in seconds (…_s).
#pragma once

#include <cstdint>

namespace gordian {

inline constexpr uint64_t kNsPerUs = 1'000;
inline constexpr uint64_t kNsPerMs = 1'000'000;
inline constexpr uint64_t kNsPerSecond = 1'000'000'000;

constexpr double SecondsOf(uint64_t time_ns) {
  return static_cast<double>(time_ns) / static_cast<double>(kNsPerSecond);
}

}  // namespace gordian
