// SPDX-License-Identifier: Apache-2.0
#include "recorder/control/rate_limit.h"

#include <gtest/gtest.h>

namespace gordian {
namespace {

using std::chrono::milliseconds;

TEST(RateLimit, BytesWaitForThoseBefore) {
  RateLimit rate(1000);
  const RateLimit::Clock::time_point now(std::chrono::hours(1));
  EXPECT_EQ(rate.Take(500, now), milliseconds(0));
  EXPECT_EQ(rate.Take(500, now), milliseconds(500));
  EXPECT_EQ(rate.Take(500, now + milliseconds(100)), milliseconds(900));
  EXPECT_EQ(rate.Take(500, now + milliseconds(5000)), milliseconds(0)) << "what was idle is gone";
  EXPECT_EQ(rate.Take(500, now + milliseconds(5000)), milliseconds(500));
}

TEST(RateLimit, WithoutALimitNobodyWaits) {
  RateLimit rate(0);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(rate.Take(1u << 30, RateLimit::Clock::time_point()), milliseconds(0));
  }
}

}  // namespace
}  // namespace gordian
