// SPDX-License-Identifier: Apache-2.0
// How often the gate is wrong, by runs that are made up. Seeded, so that the figures are the same
// every time; bench/gate_rates prints more of them.
#include <gtest/gtest.h>

#include "gate/test_runs.h"

namespace gordian::testing {
namespace {

constexpr int kTrials = 400;
// Five in a hundred, and three times what chance does to so many trials.
constexpr double kMostFalseAlarms = 0.05 + 3 * 0.011;

// So long that the parts of one recording cannot show it.
bool WandersLong(const RunModel& model) { return model.wander_share > 0.1; }

TEST(GateErrorRates, WithoutAChangeTheGateHardlyEverFails) {
  for (const RunModel& model : RunModels()) {
    for (const size_t recordings : {1u, 3u}) {
      if (recordings == 1 && WandersLong(model)) continue;
      EXPECT_LT(AnswersOf(model, 0, recordings, kTrials, 1).holds, 0.025)
          << model.name << ", " << recordings;
    }
  }
}

// The worst that can be asked: the true change is the very border.
TEST(GateErrorRates, AtTheBorderItFailsAsOftenAsItWasAllowedTo) {
  for (const RunModel& model : RunModels()) {
    for (const size_t recordings : {3u, 5u}) {
      EXPECT_LT(AnswersOf(model, -0.05, recordings, kTrials, 2).holds, kMostFalseAlarms)
          << model.name << ", " << recordings;
    }
  }
}

// One recording cannot tell how long a program wanders.
TEST(GateErrorRates, OneRecordingASideDoesTheSameIfRunsAreAlike) {
  for (const RunModel& model : RunModels()) {
    if (WandersLong(model)) continue;
    EXPECT_LT(AnswersOf(model, -0.05, 1, kTrials, 3).holds, kMostFalseAlarms) << model.name;
  }
}

TEST(GateErrorRates, AFifthLessIsMostlyFoundInProgramsThatWanderShortly) {
  for (const RunModel& model : RunModels()) {
    if (model.events < 1000 || WandersLong(model)) continue;
    for (const size_t recordings : {1u, 3u}) {
      EXPECT_GT(AnswersOf(model, -0.2, recordings, kTrials, 4).holds, 0.75)
          << model.name << ", " << recordings;
    }
  }
}

}  // namespace
}  // namespace gordian::testing
