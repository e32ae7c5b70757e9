// SPDX-License-Identifier: Apache-2.0
#include "recorder/drain/irq_totals.h"

#include <gtest/gtest.h>

namespace gordian {
namespace {

TEST(TakeOfInterval, TellsWhatCameSinceTheLastTime) {
  uint64_t told_ns = 100;
  EXPECT_EQ(TakeOfInterval(130, 1000, told_ns), 30U);
  EXPECT_EQ(told_ns, 130U);
  EXPECT_EQ(TakeOfInterval(130, 1000, told_ns), 0U);
}

// The recorder waited for a CPU: the total grew for longer than the interval that it is told of.
TEST(TakeOfInterval, NeverTellsMoreThanTheIntervalAndKeepsTheRest) {
  uint64_t told_ns = 0;
  EXPECT_EQ(TakeOfInterval(250, 100, told_ns), 100U);
  EXPECT_EQ(TakeOfInterval(260, 100, told_ns), 100U);
  EXPECT_EQ(TakeOfInterval(260, 100, told_ns), 60U);
}

TEST(TakeOfInterval, OfATotalThatShrankIsNothing) {
  uint64_t told_ns = 50;
  EXPECT_EQ(TakeOfInterval(20, 100, told_ns), 0U);
  EXPECT_EQ(told_ns, 50U);
}

}  // namespace
}  // namespace gordian
