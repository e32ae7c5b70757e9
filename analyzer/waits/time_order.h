// SPDX-License-Identifier: Apache-2.0
// Sorts things by time in linear time.
#pragma once

#include <cstdint>
#include <vector>

namespace gordian {

struct TimedIndex {
  uint64_t time_ns = 0;
  uint32_t index = 0;
};

// Radix sort; equal times keep their order. `scratch` is memory to be reused. The passes needed are
// one for each eleven bits of the span of times.
void SortByTime(std::vector<TimedIndex>& entries, std::vector<TimedIndex>& scratch);

}  // namespace gordian
