// SPDX-License-Identifier: Apache-2.0
// Which of many values are out of line.
//
// A value is an outlier if it lies more than 3.5 scales from the median (Iglewicz and Hoaglin). The
// scale is the median distance from the median, times 1.4826, so that it is the standard deviation
// of normal values. Medians, because up to half of the windows may be odd without moving them: a
// mean and its deviation would be pulled towards the very windows that one looks for.
//
// A scale is at least a twentieth of the median. Otherwise windows that are all the same to a
// microsecond would make outliers of the few that differ by ten.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace gordian {

struct Outliers {
  uint64_t median = 0;
  // 0 if most values are 0: then no value is called odd.
  double scale = 0;
  std::vector<uint32_t> indices;  // in order
};

Outliers FindOutliers(std::span<const uint64_t> values);

}  // namespace gordian
