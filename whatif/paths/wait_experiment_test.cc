// SPDX-License-Identifier: Apache-2.0
#include "whatif/paths/wait_experiment.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace gordian {
namespace {

constexpr uint32_t kClient = 1, kOther = 2;

// So many stretches that begin with a wait for the client and end with one for `end`.
void AddStretches(WaitExperiment& experiment, int count, uint32_t end, uint64_t run_ns, int waits) {
  for (int i = 0; i < count; ++i) {
    experiment.BeginThread();
    experiment.EndStretch(kClient);
    experiment.AddRun(run_ns);
    for (int wait = 0; wait < waits; ++wait) experiment.AddWait();
    experiment.EndStretch(end);
  }
}

TEST(AWaitExperiment, TellsTheDifferenceOfThoseWhoWait) {
  WaitExperiment experiment;
  AddStretches(experiment, 30, kClient, 10'000, 0);
  AddStretches(experiment, 30, kClient, 50'000, 2);
  EXPECT_EQ(experiment.RunNsOfAWait(), 20'000);
}

TEST(AWaitExperiment, NeverComparesStretchesOfDifferentKinds) {
  WaitExperiment experiment;
  AddStretches(experiment, 30, kClient, 10'000, 0);
  AddStretches(experiment, 30, kOther, 50'000, 2);
  EXPECT_EQ(experiment.RunNsOfAWait(), std::nullopt);
}

TEST(AWaitExperiment, TellsNothingIfAllWait) {
  WaitExperiment experiment;
  AddStretches(experiment, 30, kClient, 50'000, 2);
  // Twice the waits may be twice the work.
  AddStretches(experiment, 30, kClient, 100'000, 4);
  EXPECT_EQ(experiment.RunNsOfAWait(), std::nullopt);
}

TEST(AWaitExperiment, TellsNothingOfFew) {
  WaitExperiment experiment;
  AddStretches(experiment, 30, kClient, 10'000, 0);
  AddStretches(experiment, 19, kClient, 50'000, 2);
  EXPECT_EQ(experiment.RunNsOfAWait(), std::nullopt);
}

TEST(AWaitExperiment, IsNotLedByAFewLongStretches) {
  WaitExperiment experiment;
  AddStretches(experiment, 30, kClient, 10'000, 0);
  AddStretches(experiment, 30, kClient, 30'000, 1);
  AddStretches(experiment, 10, kClient, 9'000'000, 1);
  EXPECT_EQ(experiment.RunNsOfAWait(), 20'000);
}

// Who waits also does other work in one kind of stretches, which are fewer.
TEST(AWaitExperiment, TakesTheMiddleOfItsKinds) {
  WaitExperiment experiment;
  AddStretches(experiment, 60, kClient, 10'000, 0);
  AddStretches(experiment, 60, kClient, 30'000, 1);
  AddStretches(experiment, 30, kOther, 10'000, 0);
  AddStretches(experiment, 30, kOther, 500'000, 1);
  EXPECT_EQ(experiment.RunNsOfAWait(), 20'000);
}

TEST(AWaitExperiment, SavesNothingIfThoseWhoWaitRunLess) {
  WaitExperiment experiment;
  AddStretches(experiment, 30, kClient, 50'000, 0);
  AddStretches(experiment, 30, kClient, 10'000, 1);
  EXPECT_EQ(experiment.RunNsOfAWait(), 0);
}

TEST(AWaitExperiment, KnowsNothingOfWhatAThreadDidBeforeItsFirstWait) {
  WaitExperiment experiment;
  for (int i = 0; i < 60; ++i) {
    experiment.BeginThread();
    experiment.AddRun(i % 2 == 0 ? 10'000 : 50'000);
    if (i % 2 == 1) experiment.AddWait();
    experiment.EndStretch(kClient);
  }
  EXPECT_EQ(experiment.RunNsOfAWait(), std::nullopt);
}

}  // namespace
}  // namespace gordian
