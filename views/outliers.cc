// SPDX-License-Identifier: Apache-2.0
#include "views/outliers.h"

#include <algorithm>

namespace gordian {
namespace {

constexpr double kFarOut = 3;                 // see the header
constexpr double kLeastShareOfMedian = 0.05;  // likewise

uint64_t ValueAt(std::vector<uint64_t>& values, size_t index) {
  const auto place = values.begin() + static_cast<ptrdiff_t>(index);
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

}  // namespace

Outliers FindOutliers(std::span<const uint64_t> values) {
  Outliers found;
  if (values.empty()) return found;
  std::vector<uint64_t> sorted(values.begin(), values.end());
  const size_t last = values.size() - 1;
  found.median = ValueAt(sorted, last / 2);
  // Of quartiles between two values the outer one: half of a pair is no exception.
  const auto lower = static_cast<double>(ValueAt(sorted, last / 4));
  const auto upper = static_cast<double>(ValueAt(sorted, last - last / 4));
  found.scale = std::max(upper - lower, kLeastShareOfMedian * static_cast<double>(found.median));
  if (found.scale == 0) return found;
  const double least = lower - kFarOut * found.scale, most = upper + kFarOut * found.scale;
  for (uint32_t i = 0; i < values.size(); ++i) {
    const auto value = static_cast<double>(values[i]);
    if (value < least || value > most) found.indices.push_back(i);
  }
  return found;
}

}  // namespace gordian
