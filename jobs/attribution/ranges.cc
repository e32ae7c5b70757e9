// SPDX-License-Identifier: Apache-2.0
#include "jobs/attribution/ranges.h"

#include <algorithm>

namespace gordian {

Ranges UnionOf(Ranges ranges) {
  std::erase_if(ranges, [](const Range& range) { return range.size() == 0; });
  std::sort(ranges.begin(), ranges.end(),
            [](const Range& a, const Range& b) { return a.begin < b.begin; });
  Ranges joined;
  for (const Range& range : ranges) {
    if (!joined.empty() && range.begin <= joined.back().end) {
      joined.back().end = std::max(joined.back().end, range.end);
    } else {
      joined.push_back(range);
    }
  }
  return joined;
}

std::span<const Range> FirstEndingAfter(std::span<const Range> ranges, uint64_t at) {
  const auto first = std::partition_point(ranges.begin(), ranges.end(),
                                          [at](const Range& range) { return range.end <= at; });
  return ranges.subspan(first - ranges.begin());
}

Ranges Intersect(std::span<const Range> a, std::span<const Range> b) {
  Ranges both;
  if (a.empty() || b.empty()) return both;
  // Few against many is the usual case: skip what of b lies before a.
  b = FirstEndingAfter(b, a.front().begin);
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() && j < b.size()) {
    const Range part = {std::max(a[i].begin, b[j].begin), std::min(a[i].end, b[j].end)};
    if (part.size() > 0) both.push_back(part);
    if (a[i].end < b[j].end) {
      ++i;
    } else {
      ++j;
    }
  }
  return both;
}

Ranges Subtract(std::span<const Range> a, std::span<const Range> b) {
  Ranges left;
  if (a.empty()) return left;
  b = FirstEndingAfter(b, a.front().begin);
  size_t j = 0;
  for (const Range& range : a) {
    uint64_t at = range.begin;
    while (j < b.size() && b[j].end <= at) ++j;
    // A range of b may reach into the next of a: `j` stays on it.
    for (size_t k = j; k < b.size() && b[k].begin < range.end; ++k) {
      if (b[k].begin > at) left.push_back({at, b[k].begin});
      at = std::max(at, b[k].end);
    }
    if (at < range.end) left.push_back({at, range.end});
  }
  return left;
}

uint64_t SizeOf(std::span<const Range> ranges) {
  uint64_t size = 0;
  for (const Range& range : ranges) size += range.size();
  return size;
}

uint64_t OverlapOf(std::span<const Range> ranges, Range range) {
  uint64_t overlap = 0;
  for (const Range& part : FirstEndingAfter(ranges, range.begin)) {
    if (part.begin >= range.end) break;
    overlap += std::min(part.end, range.end) - std::max(part.begin, range.begin);
  }
  return overlap;
}

}  // namespace gordian
