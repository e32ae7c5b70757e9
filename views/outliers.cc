// SPDX-License-Identifier: Apache-2.0
#include "views/outliers.h"

#include <algorithm>

namespace gordian {
namespace {

constexpr double kMostScales = 3.5;
constexpr double kOfNormalValues = 1.4826;
constexpr double kLeastShareOfMedian = 0.05;  // see the header

// Of an even number of values there are two in the middle: the lower one is a value that occurred,
// the upper one does not call a distance of nothing usual if half of the values keep another.
uint64_t MedianOf(std::vector<uint64_t> values, bool upper) {
  const auto middle =
      values.begin() + static_cast<ptrdiff_t>((values.size() - (upper ? 0 : 1)) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

uint64_t Distance(uint64_t a, uint64_t b) { return a > b ? a - b : b - a; }

}  // namespace

Outliers FindOutliers(std::span<const uint64_t> values) {
  Outliers found;
  if (values.empty()) return found;
  found.median = MedianOf({values.begin(), values.end()}, false);
  std::vector<uint64_t> distances;
  for (const uint64_t value : values) distances.push_back(Distance(value, found.median));
  found.scale = std::max(kOfNormalValues * static_cast<double>(MedianOf(distances, true)),
                         kLeastShareOfMedian * static_cast<double>(found.median));
  if (found.scale == 0) return found;
  for (uint32_t i = 0; i < distances.size(); ++i)
    if (static_cast<double>(distances[i]) > kMostScales * found.scale) found.indices.push_back(i);
  return found;
}

}  // namespace gordian
