// SPDX-License-Identifier: Apache-2.0
// Which of many values are out of line.
//
// A value is an outlier if it lies beyond the quartiles by more than three times their distance
// (Tukey's "far out"). Quartiles, because up to a quarter of the windows may be odd on each side
// without moving them: a mean and its deviation would be pulled towards the very windows that one
// looks for. And what a quarter of the windows do is no exception: a program that works and rests
// in turn has no outliers.
//
// The distance is at least a twentieth of the median. Otherwise windows that are all the same to a
// microsecond would make outliers of the few that differ by ten.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace gordian {

struct Outliers {
  uint64_t median = 0;
  double scale = 0;  // the distance; 0 if most values are 0: then no value is called odd
  std::vector<uint32_t> indices;  // in order
};

Outliers FindOutliers(std::span<const uint64_t> values);

}  // namespace gordian
