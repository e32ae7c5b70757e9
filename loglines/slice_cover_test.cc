// SPDX-License-Identifier: Apache-2.0
#include "loglines/slice_cover.h"

#include <gtest/gtest.h>

namespace gordian {
namespace {

TEST(SliceCover, HoldsTimesThatTouchAStretch) {
  SliceCover cover;
  cover.Add(1, 30, 40);
  cover.Add(1, 10, 20);
  cover.Add(1, 15, 25);
  cover.Add(2, 5, 5);
  cover.Settle();
  EXPECT_TRUE(cover.Holds(1, 24, 26));
  EXPECT_TRUE(cover.Holds(1, 0, 100));
  EXPECT_FALSE(cover.Holds(1, 25, 30));
  EXPECT_FALSE(cover.Holds(1, 40, 50));
  EXPECT_FALSE(cover.Holds(1, 0, 10));
  EXPECT_FALSE(cover.Holds(2, 0, 100));
  EXPECT_FALSE(cover.Holds(3, 0, 100));
}

TEST(SliceCover, AStretchWithinAnotherCutsNothingOff) {
  SliceCover cover;
  cover.Add(1, 10, 100);
  cover.Add(1, 20, 30);
  cover.Settle();
  EXPECT_TRUE(cover.Holds(1, 90, 95));
}

}  // namespace
}  // namespace gordian
