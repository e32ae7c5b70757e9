// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "whatif/history/history.h"

namespace gordian {
namespace {

pb::PredictionScore Predicted(double low, double expected, double high, double measured,
                              bool at_least = false) {
  pb::PredictionScore score;
  score.set_low(low);
  score.set_expected(expected);
  score.set_high(high);
  score.set_measured(measured);
  score.set_at_least(at_least);
  return score;
}

pb::PredictionRecord Record(const std::vector<pb::PredictionScore>& scores) {
  std::vector<const pb::PredictionScore*> all;
  for (const pb::PredictionScore& score : scores) all.push_back(&score);
  return RecordOf(all);
}

TEST(PredictionRecord, HoldsWithinTheIntervalAndAboveAnOpenEnd) {
  EXPECT_TRUE(HasHeld(Predicted(1, 2, 3, 1)));
  EXPECT_TRUE(HasHeld(Predicted(1, 2, 3, 3)));
  EXPECT_FALSE(HasHeld(Predicted(1, 2, 3, 0.9)));
  EXPECT_FALSE(HasHeld(Predicted(1, 2, 3, 3.1)));
  EXPECT_TRUE(HasHeld(Predicted(1, 2, 3, 3.1, /*at_least=*/true)));
  EXPECT_FALSE(HasHeld(Predicted(1, 2, 3, 0.9, /*at_least=*/true)));
}

TEST(PredictionRecord, TellsTheMiddleOfTheMisses) {
  const pb::PredictionRecord record =
      Record({Predicted(1, 1.1, 2, 1),         // 10 % too high
              Predicted(1, 1, 2, 2),           // by half too low
              Predicted(1, 1.5, 1.4, 1.25)});  // by a fifth too high
  EXPECT_EQ(record.checked(), 3u);
  EXPECT_EQ(record.held(), 3u);
  EXPECT_NEAR(record.median_off(), 0.2, 1e-9);
  EXPECT_EQ(record.too_low(), 1u);
  EXPECT_EQ(record.too_high(), 0u);
  EXPECT_EQ(record.text(),
            "3 of 3 predictions on this machine held; the number was off by 20 % in the middle");
}

TEST(PredictionRecord, SaysNothingOfNone) {
  EXPECT_EQ(Record({}).text(), "");
  EXPECT_EQ(Record({Predicted(1, 2, 3, 2)}).text(),
            "1 of 1 prediction on this machine held; the number was off by 0 %");
}

}  // namespace
}  // namespace gordian
