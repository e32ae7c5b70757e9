// SPDX-License-Identifier: Apache-2.0
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "whatif/requests/requests.h"

namespace gordian {
namespace {

using ::testing::IsEmpty;

TEST(StopCosts, AreFoundFromVisitsThatHappenedNotToStop) {
  std::mt19937 random(1);
  std::normal_distribution<double> noise(0, 500);
  std::vector<VisitCost> visits;
  for (int i = 0; i < 1000; ++i) {
    const double sleeps = i % 3;
    const double disks = i % 2;
    visits.push_back({20'000 + 3'000 * sleeps + 8'000 * disks + noise(random), {sleeps, disks}});
  }
  const auto costs = CostsOfStops(visits);
  ASSERT_EQ(costs.size(), 2U);
  EXPECT_NEAR(*costs[0], 3'000, 100);
  EXPECT_NEAR(*costs[1], 8'000, 100);
}

// One visit of fifty met an interrupt or a collector, always those that slept.
TEST(StopCosts, AreNotMovedByVisitsThatAreFarOff) {
  std::mt19937 random(1);
  std::normal_distribution<double> noise(0, 500);
  std::vector<VisitCost> visits;
  for (int i = 0; i < 1000; ++i) {
    const double sleeps = i % 2;
    const double outlier = i % 50 == 1 ? 5e6 : 0;
    visits.push_back({20'000 + 3'000 * sleeps + outlier + noise(random), {sleeps}});
  }
  EXPECT_NEAR(*CostsOfStops(visits)[0], 3'000, 150);
}

TEST(StopCosts, AreUnknownWhereAllVisitsStopEquallyOften) {
  std::vector<VisitCost> visits;
  for (int i = 0; i < 100; ++i)
    visits.push_back({10'000.0 + i, {1, static_cast<double>(i % 2), static_cast<double>(i % 2)}});
  const auto costs = CostsOfStops(visits);
  EXPECT_FALSE(costs[0].has_value());  // always one
  EXPECT_TRUE(costs[1].has_value());
  EXPECT_FALSE(costs[2].has_value());  // always together with the one before
}

TEST(StopCosts, AreNeverNegative) {
  std::vector<VisitCost> visits;
  for (int i = 0; i < 100; ++i)
    visits.push_back({10'000.0 - 2'000 * (i % 2) + i % 7, {static_cast<double>(i % 2)}});
  EXPECT_EQ(CostsOfStops(visits)[0], 0);
  EXPECT_THAT(CostsOfStops({}), IsEmpty());
}

}  // namespace
}  // namespace gordian
