// SPDX-License-Identifier: Apache-2.0
#include "views/told_phases.h"

#include <gtest/gtest.h>

namespace gordian {
namespace {

TEST(ToldPhasesOfARange, AreWholeAndInOrder) {
  RecordedPhases phases;
  phases.whole = {{.thread = 1, .from_ns = 120, .to_ns = 150, .name = 1},
                  {.thread = 1, .from_ns = 110, .to_ns = 160, .name = 2}};
  phases.unended = {{.thread = 2, .from_ns = 190, .to_ns = 200, .name = 1}};
  const ToldPhases told = PhasesWithin(phases, 100, 30, 70);
  ASSERT_EQ(told.phases.size(), 2u);
  EXPECT_EQ(told.phases[0].from_ns, 10u);
  EXPECT_EQ(told.phases[1].from_ns, 20u);
  EXPECT_EQ(told.phases[1].to_ns, 50u);
  EXPECT_EQ(PhasesWithin(phases, 100, 60, 70).phases.size(), 0u);
}

TEST(ToldPhasesOfARange, AreTheLongestOfMany) {
  RecordedPhases phases;
  for (uint64_t i = 0; i < 10'000; ++i)
    phases.whole.push_back({.thread = 1, .from_ns = i, .to_ns = 2 * i + 1, .name = 1});
  const ToldPhases told = PhasesWithin(phases, 0, 0, 1'000'000);
  EXPECT_EQ(told.phases.size(), kMostToldPhases);
  EXPECT_EQ(told.left_out, 10'000 - kMostToldPhases);
  EXPECT_EQ(told.phases.front().from_ns, 10'000 - kMostToldPhases);
}

}  // namespace
}  // namespace gordian
