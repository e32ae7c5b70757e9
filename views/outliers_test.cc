// SPDX-License-Identifier: Apache-2.0
#include "views/outliers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<uint32_t> OddOf(const std::vector<uint64_t>& values) {
  return FindOutliers(values).indices;
}

TEST(Outliers, AreFarFromTheMedian) {
  EXPECT_THAT(OddOf({100, 102, 98, 101, 400, 99, 100}), ElementsAre(4));
  EXPECT_THAT(OddOf({100, 102, 98, 101, 0, 99, 100}), ElementsAre(4));
  EXPECT_THAT(OddOf({}), IsEmpty());
  EXPECT_THAT(OddOf({7}), IsEmpty());
}

TEST(Outliers, AQuarterOfTheWindowsMayBeOddWithoutHidingEachOther) {
  EXPECT_THAT(OddOf({100, 100, 100, 101, 100, 99, 100, 900, 900}), ElementsAre(7, 8));
}

TEST(Outliers, WorkAndRestInTurnHaveNone) {
  EXPECT_THAT(OddOf({10, 10, 10, 0, 0, 10, 10, 10, 0, 0, 10, 10, 10, 0, 0}), IsEmpty());
}

TEST(Outliers, ValuesThatAreAllButTheSameHaveNone) {
  EXPECT_THAT(OddOf({100'000, 100'000, 100'000, 100'010, 100'000}), IsEmpty());
}

TEST(Outliers, OfMostlyNothingNothingIsOdd) {
  EXPECT_THAT(OddOf({0, 0, 0, 50, 0, 0, 0, 0, 0, 70, 0}), IsEmpty());
  EXPECT_EQ(FindOutliers(std::vector<uint64_t>{0, 0, 0, 0, 0, 50}).scale, 0);
}

TEST(Outliers, LargeValuesDoNotOverflow) {
  EXPECT_THAT(OddOf({UINT64_MAX, 1, 2, 1, 2, 1}), ElementsAre(0));
}

}  // namespace
}  // namespace gordian
