// SPDX-License-Identifier: Apache-2.0
#include "jobs/attribution/ranges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Ranges, UnionSortsJoinsAndDropsEmptyOnes) {
  EXPECT_THAT(UnionOf({{5, 7}, {1, 3}, {3, 4}, {6, 9}, {4, 2}, {12, 12}}),
              ElementsAre(Range{1, 4}, Range{5, 9}));
}

TEST(Ranges, IntersectionKeepsWhatBothHold) {
  const Ranges a = {{0, 4}, {6, 10}, {20, 30}};
  const Ranges b = {{2, 7}, {8, 9}, {30, 40}};
  EXPECT_THAT(Intersect(a, b), ElementsAre(Range{2, 4}, Range{6, 7}, Range{8, 9}));
  EXPECT_THAT(Intersect(a, {}), IsEmpty());
}

TEST(Ranges, SubtractionLeavesTheOthersGaps) {
  const Ranges a = {{0, 4}, {6, 10}, {20, 30}};
  EXPECT_THAT(Subtract(a, Ranges{{2, 7}, {8, 9}, {25, 40}}),
              ElementsAre(Range{0, 2}, Range{7, 8}, Range{9, 10}, Range{20, 25}));
  EXPECT_THAT(Subtract(a, Ranges{{0, 100}}), IsEmpty());
  EXPECT_EQ(Subtract(a, {}), a);
}

TEST(Ranges, OverlapIsMeasuredWithoutMakingASet) {
  EXPECT_EQ(OverlapOf(Ranges{{0, 4}, {6, 10}, {20, 30}}, {3, 22}), 1U + 4U + 2U);
  EXPECT_EQ(OverlapOf(Ranges{{0, 4}}, {4, 9}), 0U);
  EXPECT_EQ(SizeOf(Ranges{{0, 4}, {6, 10}}), 8U);
}

}  // namespace
}  // namespace gordian
