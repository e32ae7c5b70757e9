#include "recorder/stacks/time_allowance.h"

#include <gtest/gtest.h>

namespace gordian {
namespace {

TEST(TimeAllowance, LetsGoOnAsLongAsSomethingIsLeft) {
  TimeAllowance allowance(100, 50, 1000);
  EXPECT_EQ(allowance.PauseNs(1000), 0);
  allowance.Spend(99);
  EXPECT_EQ(allowance.PauseNs(1000), 0);
}

TEST(TimeAllowance, IsRefilledWithAShareOfTheTime) {
  TimeAllowance allowance(100, 50, 1000);
  allowance.Spend(110);
  EXPECT_EQ(allowance.PauseNs(1000), 11 * 50);
  EXPECT_EQ(allowance.PauseNs(1020), 11 * 50 - 20);
  EXPECT_EQ(allowance.PauseNs(1000 + 11 * 50 - 1), 1);
  EXPECT_EQ(allowance.PauseNs(1000 + 11 * 50), 0);
}

TEST(TimeAllowance, NeverHoldsMoreThanAtFirst) {
  TimeAllowance allowance(100, 50, 0);
  EXPECT_EQ(allowance.PauseNs(1'000'000), 0);
  allowance.Spend(101);
  EXPECT_EQ(allowance.PauseNs(1'000'000), 2 * 50);
}

TEST(TimeAllowance, IsNotSpentTwiceByAskingOften) {
  TimeAllowance allowance(10, 50, 0);
  allowance.Spend(10);
  for (int64_t now_ns = 0; now_ns < 50; ++now_ns) EXPECT_EQ(allowance.PauseNs(now_ns), 50 - now_ns);
  EXPECT_EQ(allowance.PauseNs(50), 0);
}

}  // namespace
}  // namespace gordian
