// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "whatif/ask/answer.h"
#include "whatif/ask/ask.h"

namespace gordian {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

pb::WhatIf ToldByTheModel() {
  pb::WhatIf answer;
  pb::WhatIfChange& change = *answer.add_changes();
  change.set_kind("lock");
  change.set_text("A and B never meeting at a lock");
  answer.set_low(1.9);
  answer.set_expected(2);
  answer.set_high(2.1);
  answer.mutable_wait_alone()->set_gain(1.9);
  answer.mutable_with_path()->set_gain(2.1);
  return answer;
}

pb::PredictionScore Missed(double measured) {
  pb::PredictionScore score;
  score.set_change("A and B never meeting at a lock");
  score.set_change_kind("lock");
  score.set_low(1.5);
  score.set_expected(2);
  score.set_high(2.8);
  score.set_model_low(1.9);
  score.set_model_high(2.1);
  score.set_measured(measured);
  return score;
}

TEST(CalibratedAnswer, IsWiderAndKeepsTheModelsEnds) {
  pb::WhatIf answer = ToldByTheModel();
  Calibrate({}, answer);
  EXPECT_LT(answer.low(), 1.9);
  EXPECT_GT(answer.high(), 2.1);
  EXPECT_EQ(answer.expected(), 2);
  EXPECT_EQ(answer.calibration().model_low(), 1.9);
  EXPECT_EQ(answer.calibration().model_high(), 2.1);
  EXPECT_THAT(answer.verdict(), HasSubstr("likely 2.0 times"));
  const pb::WhatIf once = answer;
  Calibrate({}, answer);
  EXPECT_EQ(answer.SerializeAsString(), once.SerializeAsString()) << "widened but once";
}

TEST(CalibratedAnswer, SaysNoGainOnlyWhereMuchMoreIsRuledOut) {
  pb::WhatIf answer = ToldByTheModel();
  answer.mutable_wait_alone()->set_gain(1);
  answer.mutable_with_path()->set_gain(1);
  answer.set_low(0.99);
  answer.set_expected(1);
  answer.set_high(1.01);
  EXPECT_THAT(VerdictOf(answer), EndsWith("at a lock: no gain."));
  answer.set_high(4.2);
  EXPECT_THAT(VerdictOf(answer),
              EndsWith("no gain told, but up to 4.2 times the throughput cannot be ruled out."));
}

TEST(CalibratedAnswer, OwnMissesMakeItWiderAndAreTold) {
  pb::WhatIf answer = ToldByTheModel();
  Calibrate({}, answer);
  const double before = answer.high();
  std::vector<pb::PredictionScore> scores;
  for (int i = 0; i < 12; ++i) {
    scores.push_back(Missed(20));
    scores.back().set_change("fix " + std::to_string(i));
  }
  std::vector<const pb::PredictionScore*> own;
  for (const pb::PredictionScore& score : scores) own.push_back(&score);
  Calibrate(own, answer);
  EXPECT_GT(answer.high(), before);
  EXPECT_TRUE(answer.calibration().own_widen());
}

// However wide past errors make it.
TEST(CalibratedAnswer, OfWhatOnlyGivesMoreIsNoGreatLoss) {
  pb::WhatIf answer = ToldByTheModel();
  answer.set_low(0.95);
  answer.set_expected(2);
  answer.set_high(40);
  Calibrate({}, answer);
  EXPECT_GE(answer.low(), 0.8);
  EXPECT_LT(answer.low(), 0.95);

  pb::WhatIf slower = ToldByTheModel();
  slower.mutable_changes(0)->set_kind("run");
  slower.mutable_changes(0)->set_factor(3);
  slower.set_low(0.95);
  slower.set_high(40);
  Calibrate({}, slower);
  EXPECT_LT(slower.low(), 0.8);
}

// A tenth of somebody's work gains ten times at most, whatever past errors say. Two measurements of
// one fix differ, though.
TEST(CalibratedAnswer, IsNoMoreThanWhatTheChangeMultiplies) {
  pb::WhatIf answer = ToldByTheModel();
  pb::WhatIfChange& change = *answer.mutable_changes(0);
  change.set_kind("run");
  change.set_factor(0.1);
  answer.set_low(2);
  answer.set_expected(12);
  answer.set_high(80);
  pb::WhatIf faster = answer;
  Calibrate({}, faster);
  EXPECT_EQ(faster.expected(), 10);
  EXPECT_GT(faster.high(), 10);
  EXPECT_LT(faster.high(), 11.1);
  EXPECT_EQ(faster.calibration().model_high(), 80);

  change.set_kind("in-flight");
  change.set_factor(4);
  pb::WhatIf more = answer;
  Calibrate({}, more);
  EXPECT_LT(more.high(), 4.5);

  change.set_kind("scale");
  change.set_factor(0);
  pb::WhatIf gone = answer;
  Calibrate({}, gone);
  EXPECT_GT(gone.high(), 80) << "what takes no time any more has no such bound";

  change.set_factor(0.1);
  answer.set_at_least(true);
  Calibrate({}, answer);
  EXPECT_EQ(answer.expected(), 12);
}

TEST(CalibratedAnswer, LeavesAnswersWithoutAGain) {
  pb::WhatIf answer;
  Calibrate({}, answer);
  EXPECT_FALSE(answer.has_calibration());
}

}  // namespace
}  // namespace gordian
