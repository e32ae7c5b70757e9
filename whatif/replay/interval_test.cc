// SPDX-License-Identifier: Apache-2.0
#include "whatif/replay/interval.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gordian {
namespace {

ReplayResult OfThreePaths() {
  ReplayResult result;
  result.wait_alone.gain = 2;
  result.with_path.gain = 6;
  for (const double gain : {4, 32}) {
    result.other_paths.emplace_back();
    result.other_paths.back().gain = gain;
  }
  return result;
}

TEST(Interval, OfCallsThatAreGoneLeavesOutTheLeastPathBetweenItsEnds) {
  ReplayResult result = OfThreePaths();
  SetInterval({.waits = {{0, 1, /*keeps_up=*/false}}}, result);
  EXPECT_DOUBLE_EQ(result.low, 4);
  EXPECT_DOUBLE_EQ(result.expected, std::sqrt(6 * 32));
  EXPECT_DOUBLE_EQ(result.high, 32);
}

TEST(Interval, OfCallsThatAreStillMadeHasTheMiddleOfItsEndsBetween) {
  ReplayResult result = OfThreePaths();
  SetInterval({.waits = {{0, 1, /*keeps_up=*/true}}}, result);
  EXPECT_DOUBLE_EQ(result.low, 2);
  EXPECT_DOUBLE_EQ(result.expected, 8);  // the root of 2 * 32
  EXPECT_DOUBLE_EQ(result.high, 32);
}

TEST(Interval, OfRoundsThatAreSharedBeginsWhereTheyCannotBe) {
  ReplayResult result = OfThreePaths();
  result.divides_in_rounds = true;
  SetInterval({.added_threads = {{0, 3}}}, result);
  EXPECT_DOUBLE_EQ(result.low, 2);
  EXPECT_DOUBLE_EQ(result.expected, std::sqrt(6 * 32));
  EXPECT_DOUBLE_EQ(result.high, 32);
}

}  // namespace
}  // namespace gordian
