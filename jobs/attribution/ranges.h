// SPDX-License-Identifier: Apache-2.0
// Sets of numbers (timeslices, or nanoseconds) as sorted half-open ranges that do not touch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace gordian {

// [begin, end); empty where begin >= end.
struct Range {
  uint64_t begin = 0;
  uint64_t end = 0;

  uint64_t size() const { return end > begin ? end - begin : 0; }
  bool operator==(const Range&) const = default;
};

using Ranges = std::vector<Range>;

// Makes a set of ranges in any order, overlapping or empty.
Ranges UnionOf(Ranges ranges);
// The others take sets.
Ranges Intersect(std::span<const Range> a, std::span<const Range> b);
Ranges Subtract(std::span<const Range> a, std::span<const Range> b);
uint64_t SizeOf(std::span<const Range> ranges);
// How much of `range` lies in the set.
uint64_t OverlapOf(std::span<const Range> ranges, Range range);
// The first range of the set that ends after `at`.
std::span<const Range> FirstEndingAfter(std::span<const Range> ranges, uint64_t at);

}  // namespace gordian
