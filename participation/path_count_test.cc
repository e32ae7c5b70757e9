// SPDX-License-Identifier: Apache-2.0
#include "participation/path_count.h"

#include <gtest/gtest.h>

namespace gordian {
namespace {

PathCount PowerOfTwo(int exponent) {
  PathCount count = PathCount::One();
  for (int i = 0; i < exponent; ++i) count += PathCount(count);
  return count;
}

TEST(PathCount, CountsExactlyWhatADoubleHolds) {
  PathCount count;
  EXPECT_TRUE(count.is_zero());
  EXPECT_EQ(count.ToDouble(), 0);
  EXPECT_EQ(count.Log10(), 0);
  for (int i = 0; i < 1000; ++i) count += PathCount::One();
  EXPECT_EQ(count.ToDouble(), 1000);
  EXPECT_EQ(count.Log10(), 3);
  EXPECT_EQ(PowerOfTwo(1000).ToDouble(), 0x1p1000);
}

TEST(PathCount, KnowsTheSizeOfWhatNoDoubleHolds) {
  const PathCount huge = PowerOfTwo(20'000);
  EXPECT_EQ(huge.ToDouble(), std::numeric_limits<double>::max());
  EXPECT_NEAR(huge.Log10(), 20'000 * std::log10(2.0), 1e-9);
}

TEST(PathCount, TellsSharesAcrossAnyDistance) {
  for (const int exponent : {0, 1, 511, 512, 513, 5'000}) {
    const PathCount whole = PowerOfTwo(exponent + 3);
    EXPECT_EQ(PowerOfTwo(exponent).ShareOf(whole), 0.125) << exponent;
    EXPECT_EQ(whole.ShareOf(whole), 1) << exponent;
  }
  EXPECT_EQ(PowerOfTwo(100).ShareOf(PowerOfTwo(700)), 0x1p-600);
  EXPECT_EQ(PathCount::One().ShareOf(PowerOfTwo(5'000)), 0);
  EXPECT_EQ(PathCount().ShareOf(PathCount::One()), 0);
}

TEST(PathCount, AddsSmallAndLargeInEitherOrder) {
  for (const int exponent : {0, 300, 511, 512, 900, 1'024, 3'000}) {
    PathCount one_way = PowerOfTwo(exponent), other_way = PathCount::One();
    one_way += PathCount::One();
    other_way += PowerOfTwo(exponent);
    EXPECT_EQ(one_way.Log10(), other_way.Log10());
    EXPECT_EQ(one_way.ShareOf(other_way), 1);
  }
}

}  // namespace
}  // namespace gordian
