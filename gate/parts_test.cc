// SPDX-License-Identifier: Apache-2.0
#include "gate/parts.h"

#include <gtest/gtest.h>

namespace gordian {
namespace {

TEST(GateParts, LeaveOutBothEnds) {
  const std::vector<TimeRange> parts = GateParts({1000, 1000 + 1800});
  ASSERT_EQ(parts.size(), 16u);
  EXPECT_EQ(parts.front().from_ns, 1100u);
  EXPECT_EQ(parts.back().to_ns, 2700u);
  EXPECT_TRUE(GateParts({5, 10}).empty());
}

TEST(RateOf, CountsEventsOfTheWholeAndOfEachPart) {
  std::vector<uint64_t> times_ns;
  for (uint64_t i = 0; i < 1800; ++i) times_ns.push_back(i * 10'000'000);
  const Sample rate = RateOf(times_ns, {0, 18'000'000'000});
  EXPECT_DOUBLE_EQ(rate.value, 100);
  ASSERT_EQ(rate.parts.size(), 16u);
  for (const double part : rate.parts) EXPECT_DOUBLE_EQ(part, 100);
}

TEST(RateOf, NothingHappensInNoTime) {
  EXPECT_EQ(RateOf({}, {7, 7}).value, 0);
  EXPECT_TRUE(RateOf({}, {7, 7}).parts.empty());
}

TEST(MeanDuration, PutsNeighboursTogether) {
  std::vector<uint64_t> durations_ns;
  for (uint64_t i = 0; i < 32; ++i) durations_ns.push_back((i / 2 + 1) * 1'000'000'000);
  const Sample mean = MeanDuration(durations_ns);
  EXPECT_DOUBLE_EQ(mean.value, 8.5);
  ASSERT_EQ(mean.parts.size(), 16u);
  EXPECT_DOUBLE_EQ(mean.parts[3], 4);
  EXPECT_EQ(MeanDuration(std::vector<uint64_t>{5, 6}).parts.size(), 2u);
  EXPECT_TRUE(MeanDuration({}).parts.empty());
}

}  // namespace
}  // namespace gordian
