// SPDX-License-Identifier: Apache-2.0
#include "whatif/calibration/calibration.h"

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <string>
#include <vector>

namespace gordian {
namespace {

ModelInterval Told(double low, double expected, double high) {
  return {.change = "lock", .low = low, .expected = expected, .high = high};
}

// So many programs, whose fixes gain `off` times what was told.
std::vector<PastPrediction> Past(int programs, double off, const ModelInterval& told,
                                 bool is_own = false) {
  std::vector<PastPrediction> past;
  for (int i = 0; i < programs; ++i)
    past.push_back({"program " + std::to_string(i), told, told.expected * off, is_own});
  return past;
}

TEST(Calibration, WithoutPastPredictionsLeavesTheInterval) {
  const CalibratedInterval interval = Calibrated(Told(1.5, 2, 3), {}, {});
  EXPECT_DOUBLE_EQ(interval.low, 1.5);
  EXPECT_DOUBLE_EQ(interval.high, 3);
  EXPECT_EQ(interval.programs, 0);
}

TEST(Calibration, ReachesAsFarAsItsLikeMissed) {
  const auto past = Past(30, 1.5, Told(1.9, 2, 2.1));
  const CalibratedInterval interval = Calibrated(Told(1.9, 2, 2.1), past, {});
  EXPECT_NEAR(interval.high, 3, 1e-9);
  EXPECT_DOUBLE_EQ(interval.low, 1.9) << "none was too high";
  EXPECT_EQ(interval.programs, 30);
}

TEST(Calibration, NeverNarrowsWhatIsOpen) {
  const auto past = Past(30, 1, Told(1, 2, 4));
  const CalibratedInterval interval = Calibrated(Told(1, 2, 4), past, {});
  EXPECT_DOUBLE_EQ(interval.low, 1);
  EXPECT_DOUBLE_EQ(interval.high, 4);
}

TEST(Calibration, IsWiderWhereMoreIsOpenAndWhereMoreIsTold) {
  const auto past = Past(30, 1.2, Told(1.9, 2, 2.1));
  const auto ratio = [&](const ModelInterval& told) {
    return Calibrated(told, past, {}).high / told.expected;
  };
  EXPECT_GT(ratio(Told(1.2, 2, 3.4)), ratio(Told(1.9, 2, 2.1)));
  EXPECT_GT(ratio(Told(7.9, 8, 8.1)), ratio(Told(1.9, 2, 2.1)));
}

TEST(Calibration, OfNoEffectGoesByThoseOfNoEffect) {
  const ModelInterval none = Told(0.99, 1, 1.01);
  std::vector<PastPrediction> past = Past(30, 3, Told(1.9, 2, 2.1));
  for (const PastPrediction& one : Past(10, 1.02, none)) past.push_back(one);
  const CalibratedInterval interval = Calibrated(none, past, {});
  EXPECT_NEAR(interval.high, 1.02, 1e-9);
  EXPECT_NEAR(interval.low, 1 / 1.02, 1e-9) << "few programs: up is as likely as down";
}

TEST(Calibration, AboveAnOpenEndIsNoMiss) {
  ModelInterval at_least = Told(1.9, 2, 2.1);
  at_least.at_least = true;
  const CalibratedInterval interval = Calibrated(Told(1.9, 2, 2.1), Past(30, 5, at_least), {});
  EXPECT_DOUBLE_EQ(interval.high, 2.1);
}

TEST(Calibration, ManyPredictionsOfAProgramCountAsOne) {
  std::vector<PastPrediction> past = Past(40, 1.1, Told(1.9, 2, 2.1));
  for (int i = 0; i < 1000; ++i) past.push_back({"odd", Told(1.9, 2, 2.1), 8});
  // One of 41 programs: rarer than one of twenty, even with the one to come.
  const CalibratedInterval interval = Calibrated(Told(1.9, 2, 2.1), past, {});
  EXPECT_NEAR(interval.high, 2.2, 1e-9);
}

TEST(Calibration, OwnMissesWidenAndAreTold) {
  const auto shipped = Past(30, 1.1, Told(1.9, 2, 2.1));
  const auto own = Past(2, 3, Told(1.9, 2, 2.1), /*is_own=*/true);
  const CalibratedInterval interval = Calibrated(Told(1.9, 2, 2.1), shipped, own);
  EXPECT_NEAR(interval.high, 6, 1e-9);
  EXPECT_TRUE(interval.own_widen);
  const auto good = Past(2, 1.02, Told(1.9, 2, 2.1), /*is_own=*/true);
  EXPECT_FALSE(Calibrated(Told(1.9, 2, 2.1), shipped, good).own_widen);
}

TEST(Calibration, OtherKindsCountForLess) {
  std::vector<PastPrediction> past = Past(30, 1.1, Told(1.9, 2, 2.1));
  ModelInterval sync = Told(1.9, 2, 2.1);
  sync.change = "scale";
  for (int i = 0; i < 2; ++i) past.push_back({"disk " + std::to_string(i), sync, 8});
  EXPECT_NEAR(Calibrated(Told(1.9, 2, 2.1), past, {}).high, 2.2, 1e-9);
  EXPECT_GT(Calibrated(sync, past, {}).high, 7);
}

TEST(Calibration, LeavesWhatIsNoInterval) {
  const auto past = Past(30, 2, Told(1.9, 2, 2.1));
  for (const ModelInterval& told : {Told(0, 0, 0), Told(3, 2, 1), Told(1, 2, HUGE_VAL)}) {
    const CalibratedInterval interval = Calibrated(told, past, {});
    EXPECT_EQ(interval.low, told.low);
    EXPECT_EQ(interval.high, told.high);
  }
}

// The claim that the interval makes. scripts/calibrate rewrites the table.
TEST(ShippedPredictions, LieInsideNineTimesOfTenWhenTheirProgramIsHeldOut) {
  const HeldOut held = HoldOutEachProgram(ShippedPredictions());
  RecordProperty("predictions", static_cast<int>(held.predictions));
  std::cout << held.model_inside << " of " << held.predictions
            << " measured gains lie in the model's own intervals, " << held.inside
            << " in the calibrated ones of programs held out; their ends are a factor of "
            << held.median_ratio << " apart in the middle\n";
  ASSERT_GE(held.predictions, 40);
  EXPECT_GE(held.inside * 10, held.predictions * 9);
  // Wide, as programs differ. Ten times would tell next to nothing.
  EXPECT_LT(held.median_ratio, 4) << "so wide is of little use";
}

}  // namespace
}  // namespace gordian
