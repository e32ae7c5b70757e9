// SPDX-License-Identifier: Apache-2.0
#include "recorder/sessions/cpu_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace gordian {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

auto About(double share) { return DoubleNear(share, 1e-12); }

TEST(CpuBudget, ASessionAloneGetsAllOrWhatItAskedFor) {
  EXPECT_THAT(ShareOutCpu(0.02, {}), IsEmpty());
  EXPECT_THAT(ShareOutCpu(0.02, {0}), ElementsAre(About(0.02)));
  EXPECT_THAT(ShareOutCpu(0.02, {0.01}), ElementsAre(About(0.01)));
  EXPECT_THAT(ShareOutCpu(0.02, {0.5}), ElementsAre(About(0.02)));
}

TEST(CpuBudget, WhatModestSessionsLeaveTheOthersShare) {
  EXPECT_THAT(ShareOutCpu(0.02, {0, 0}), ElementsAre(About(0.01), About(0.01)));
  EXPECT_THAT(ShareOutCpu(0.03, {0, 0.006, 0.02}),
              ElementsAre(About(0.012), About(0.006), About(0.012)));
}

TEST(CpuBudget, AllTogetherNeverTakeMoreThanThereIs) {
  std::mt19937 random(5);
  for (int i = 0; i < 1'000; ++i) {
    std::vector<double> asked(1 + random() % 8);
    for (double& share : asked) share = static_cast<double>(random() % 5) / 100;
    const std::vector<double> shares = ShareOutCpu(0.05, asked);
    EXPECT_LE(std::accumulate(shares.begin(), shares.end(), 0.0), 0.05 + 1e-12);
    for (size_t session = 0; session < asked.size(); ++session) {
      EXPECT_GT(shares[session], 0);
      EXPECT_LE(shares[session], asked[session] > 0 ? asked[session] : 0.05);
    }
  }
}

}  // namespace
}  // namespace gordian
