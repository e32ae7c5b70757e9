// SPDX-License-Identifier: Apache-2.0
// Use that records know exactly takes the place of the estimate.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jobs/attribution/attribution.h"
#include "jobs/attribution/test_jobs.h"

namespace gordian {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

// Two phases side by side over four timeslices, on four cores.
class MeasuredUseTest : public ::testing::Test {
 protected:
  MeasuredUseTest() {
    const PhaseTypeId root = builder_.Type("Job");
    const PhaseTypeId task = builder_.Type("Task", root, PhaseRepeat::kConcurrent);
    cpu_ = builder_.Consumable("cpu", 4);
    builder_.Add(root, kNoId, 0, 40);
    builder_.Add(task, 0, 0, 40, "a");
    builder_.Add(task, 0, 0, 40, "b");
  }

  Attribution Run(const MeasuredUse& measured) {
    job_ = builder_.Build();
    measured_ = {measured};
    absl::StatusOr<Attribution> attribution = Attribute(job_, {}, measured_);
    EXPECT_TRUE(attribution.ok()) << attribution.status();
    return attribution.ok() ? *std::move(attribution) : Attribution{};
  }
  std::vector<double> SeriesOfPhase(const Attribution& attribution, PhaseId phase) {
    return SeriesOf(job_, attribution, measured_, cpu_, std::vector<PhaseId>{phase}).use;
  }

  JobBuilder builder_;
  ResourceId cpu_ = 0;
  Job job_;
  std::vector<MeasuredUse> measured_;
};

TEST_F(MeasuredUseTest, ReplacesTheEstimateWhereItIsKnown) {
  builder_.Sample(cpu_, 0, 40, 2);
  MeasuredUse measured = {cpu_, {{0, MsToNs(20)}}, {}};
  measured.pieces = {
      {1, 0, MsToNs(15), 1}, {1, MsToNs(5), MsToNs(10), 1}, {2, MsToNs(15), MsToNs(30), 1}};
  const Attribution attribution = Run(measured);
  EXPECT_THAT(attribution.resources[0].measured, ElementsAre(Range{0, 2}));
  // 80 ms of CPU, 25 of them known: the rest goes where phases are estimated.
  EXPECT_THAT(SeriesOfPhase(attribution, 1),
              ElementsAre(DoubleNear(1.5, kNear), DoubleNear(0.5, kNear), DoubleNear(1.375, kNear),
                          DoubleNear(1.375, kNear)));
  EXPECT_THAT(
      SeriesOfPhase(attribution, 2),
      ElementsAre(0, DoubleNear(0.5, kNear), DoubleNear(1.375, kNear), DoubleNear(1.375, kNear)));
  EXPECT_NEAR(attribution.At(attribution.measured_use, 1, cpu_), 0.020, kNear);
  EXPECT_NEAR(attribution.At(attribution.measured_use, 0, cpu_), 0.025, kNear);
  EXPECT_NEAR(attribution.At(attribution.use, 0, cpu_), 0.080, kNear);
  EXPECT_NEAR(attribution.resources[0].unattributed_use, 0, kNear);
}

TEST_F(MeasuredUseTest, NeedsNoSamples) {
  MeasuredUse measured = {cpu_, {{0, MsToNs(40)}}, {}};
  measured.pieces = {{1, 0, MsToNs(15), 1}, {kNoId, 0, MsToNs(40), 0.5}};
  const Attribution attribution = Run(measured);
  EXPECT_NEAR(attribution.At(attribution.use, 1, cpu_), 0.015, kNear);
  EXPECT_NEAR(attribution.resources[0].total_use, 0.035, kNear);
  EXPECT_NEAR(attribution.resources[0].unattributed_use, 0.020, kNear);
  EXPECT_THAT(attribution.resources[0].coverage, ::testing::Each(1.0F));
}

TEST_F(MeasuredUseTest, WhatSamplesTellBeyondTheRecordsIsNobodys) {
  builder_.Sample(cpu_, 0, 40, 3);
  const Attribution attribution = Run({cpu_, {{0, MsToNs(40)}}, {{1, 0, MsToNs(40), 1}}});
  EXPECT_NEAR(attribution.resources[0].total_use, 0.120, kNear);
  EXPECT_NEAR(attribution.At(attribution.use, 0, cpu_), 0.040, kNear);
  EXPECT_NEAR(attribution.resources[0].unattributed_use, 0.080, kNear);
}

TEST_F(MeasuredUseTest, SamplesThatTellLessAreCounted) {
  builder_.Sample(cpu_, 0, 40, 0.5);
  const Attribution attribution = Run({cpu_, {{0, MsToNs(40)}}, {{1, 0, MsToNs(40), 1}}});
  EXPECT_NEAR(attribution.resources[0].total_use, 0.040, kNear);
  ASSERT_EQ(attribution.counts.size(), 1U);
  EXPECT_EQ(attribution.counts[0].name, "use_samples_below_records");
}

TEST_F(MeasuredUseTest, IsRefusedWhereItIsOfNoPhaseOrGivenTwice) {
  const Job job = builder_.Build();
  const MeasuredUse good = {cpu_, {{0, 1}}, {}};
  EXPECT_TRUE(Attribute(job, {}, std::vector{good}).ok());
  EXPECT_FALSE(Attribute(job, {}, std::vector{good, good}).ok());
  EXPECT_FALSE(Attribute(job, {}, std::vector{MeasuredUse{cpu_, {}, {{7, 0, 1, 1}}}}).ok());
  EXPECT_FALSE(Attribute(job, {}, std::vector{MeasuredUse{7, {}, {}}}).ok());
  EXPECT_FALSE(Attribute(job, {}, std::vector{MeasuredUse{cpu_, {}, {{1, 0, 1, -1}}}}).ok());
}

}  // namespace
}  // namespace gordian
