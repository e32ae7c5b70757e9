// SPDX-License-Identifier: Apache-2.0
#include "gate/samples.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gate/part_means.h"
#include "gate/rank_test.h"

namespace gordian {
namespace {

constexpr double kUsual = 0.05;
constexpr Question kFivePercentLess = {.factor = 0.95, .offset = 0, .above = false};

std::vector<Sample> Runs(const std::vector<double>& values) {
  std::vector<Sample> runs;
  for (const double value : values) runs.push_back({.value = value, .parts = {}});
  return runs;
}

Answer DecideRuns(const std::vector<double>& before, const std::vector<double>& after,
                  const Question& question = kFivePercentLess,
                  ChangeKind kind = ChangeKind::kRelative) {
  return Decide(Runs(before), Runs(after), question, kind, kUsual);
}

TEST(RankTest, AgreesWithTheTablesOfMannAndWhitney) {
  EXPECT_EQ(MostWrongPairs(3, 3, kUsual), 0u);
  EXPECT_EQ(MostWrongPairs(5, 5, kUsual), 4u);
  EXPECT_EQ(MostWrongPairs(8, 8, kUsual), 15u);
  EXPECT_EQ(MostWrongPairs(10, 10, kUsual), 27u);
  EXPECT_EQ(MostWrongPairs(20, 20, kUsual), 138u);
  EXPECT_EQ(MostWrongPairs(4, 7, kUsual), 4u);
  EXPECT_EQ(MostWrongPairs(7, 4, kUsual), 4u);
  EXPECT_EQ(MostWrongPairs(2, 3, kUsual), std::nullopt);
}

TEST(RankTest, ThreeASideAreTheFewestThatCanDecide) {
  EXPECT_EQ(FewestRecordings(kUsual), 3u);
  EXPECT_EQ(FewestRecordings(0.01), 5u);
  EXPECT_NEAR(LeastChance(3, 3), 1.0 / 20, 1e-12);
  EXPECT_NEAR(LeastChance(1, 1), 0.5, 1e-12);
}

TEST(Decide, AFallThatAllRecordingsShowHolds) {
  const Answer answer = DecideRuns({100, 101, 99}, {80, 81, 79});
  EXPECT_EQ(answer.outcome, Outcome::kHolds);
  EXPECT_EQ(answer.method, Method::kRecordings);
  EXPECT_NEAR(answer.change, -0.2, 1e-9);
  EXPECT_NEAR(answer.low, 79.0 / 101 - 1, 1e-9);
  EXPECT_NEAR(answer.high, 81.0 / 99 - 1, 1e-9);
}

TEST(Decide, NoChangeDoesNotHold) {
  EXPECT_EQ(DecideRuns({100, 101, 99}, {100, 99, 102}).outcome, Outcome::kHoldsNot);
}

TEST(Decide, AChangeNearTheBorderIsUndecidedAndSaysHowManyRecordingsWouldDo) {
  const Answer answer = DecideRuns({100, 103, 97}, {92, 96, 89});
  EXPECT_EQ(answer.outcome, Outcome::kUndecided);
  EXPECT_GT(answer.recordings_needed, 3u);
  EXPECT_LT(answer.recordings_needed, 50u);
}

TEST(Decide, TwoRecordingsASideProveNothingByThemselves) {
  const Answer answer = DecideRuns({100, 101}, {50, 51});
  EXPECT_EQ(answer.outcome, Outcome::kUndecided);
  EXPECT_EQ(answer.method, Method::kNone);
  EXPECT_EQ(answer.recordings_needed, 3u);
}

TEST(Decide, AWaitThatWasNotThereBeforeHasGrownWithoutBounds) {
  const Question more = {.factor = 1.1, .offset = 0.001, .above = true};
  const Answer answer = DecideRuns({0, 0, 0}, {0.5, 0.6, 0.4}, more);
  EXPECT_EQ(answer.outcome, Outcome::kHolds);
  EXPECT_TRUE(std::isinf(answer.change));
  EXPECT_EQ(DecideRuns({0, 0, 0}, {0, 0, 0}, more).outcome, Outcome::kHoldsNot);
  EXPECT_EQ(DecideRuns({0, 0, 0}, {0.0001, 0.0002, 0.0001}, more).outcome, Outcome::kHoldsNot);
}

TEST(Decide, ALevelLooksAtTheRecordingsAfterTheChangeAlone) {
  const Question above = {.factor = 0, .offset = 0.2, .above = true};
  EXPECT_EQ(DecideRuns({9}, {0.3, 0.31, 0.29}, above, ChangeKind::kLevel).outcome, Outcome::kHolds);
  EXPECT_EQ(DecideRuns({9}, {0.1, 0.11, 0.09}, above, ChangeKind::kLevel).outcome,
            Outcome::kHoldsNot);
  EXPECT_EQ(DecideRuns({9}, {0.1, 0.4, 0.2}, above, ChangeKind::kLevel).outcome,
            Outcome::kUndecided);
}

std::vector<Sample> OneRun(double around, double spread) {
  Sample run{.value = around, .parts = {}};
  for (int i = 0; i < 16; ++i) run.parts.push_back(around + spread * ((i * 7) % 5 - 2));
  return {run};
}

TEST(Decide, OneRecordingASideIsDecidedByItsParts) {
  const Answer less =
      Decide(OneRun(100, 1), OneRun(80, 1), kFivePercentLess, ChangeKind::kRelative, kUsual);
  EXPECT_EQ(less.outcome, Outcome::kHolds);
  EXPECT_EQ(less.method, Method::kParts);
  EXPECT_LT(less.low, less.change);
  EXPECT_GT(less.high, less.change);
  EXPECT_EQ(Decide(OneRun(100, 1), OneRun(100, 1), kFivePercentLess, ChangeKind::kRelative, kUsual)
                .outcome,
            Outcome::kHoldsNot);
  EXPECT_EQ(Decide(OneRun(100, 30), OneRun(90, 30), kFivePercentLess, ChangeKind::kRelative, kUsual)
                .outcome,
            Outcome::kUndecided);
}

TEST(Decide, TwoRecordingsThatDifferMoreThanTheirPartsTellAreNotTrusted) {
  std::vector<Sample> before = OneRun(100, 1), after = OneRun(80, 1);
  before.push_back(OneRun(130, 1)[0]);
  after.push_back(OneRun(110, 1)[0]);
  EXPECT_EQ(Decide(before, after, kFivePercentLess, ChangeKind::kRelative, kUsual).outcome,
            Outcome::kUndecided);
}

TEST(PartMeans, PartsThatStayAlikeForAWhileTellLess) {
  std::vector<double> mixed, slow;
  for (int i = 0; i < 16; ++i) {
    mixed.push_back(i % 2 == 0 ? 90 : 110);
    slow.push_back(i < 8 ? 90 : 110);
  }
  EXPECT_GT(MeanOfParts(slow).variance, 5 * MeanOfParts(mixed).variance);
  EXPECT_LT(MeanOfParts(slow).freedom, 3);
}

TEST(ChanceOfSplit, IsFishersExactTest) {
  EXPECT_NEAR(ChanceOfSplit(0, 3, 3, 3), 1.0 / 20, 1e-9);
  EXPECT_NEAR(ChanceOfSplit(0, 3, 2, 3), 3.0 / 15, 1e-9);
  EXPECT_NEAR(ChanceOfSplit(1, 4, 3, 4), 0.242857, 1e-5);
  EXPECT_NEAR(ChanceOfSplit(0, 1, 0, 1), 1, 1e-9);
}

}  // namespace
}  // namespace gordian
