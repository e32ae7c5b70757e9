// SPDX-License-Identifier: Apache-2.0
#include "jobs/accuracy/accuracy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jobs/attribution/test_jobs.h"

namespace gordian {
namespace {

using ::testing::DoubleNear;
using ::testing::Each;

// Steps of 160 ms, of which the first `busy_ms` compute and the rest waits; use follows exactly.
class AccuracyTest : public ::testing::Test {
 protected:
  AccuracyTest() {
    builder_.Type("Job");
    const PhaseTypeId compute = builder_.Type("Compute", 0, PhaseRepeat::kSequential);
    const PhaseTypeId wait = builder_.Type("Wait", 0, PhaseRepeat::kSequential);
    cpu_ = builder_.Consumable("cpu", 4);
    builder_.Rule(0, cpu_, RuleKind::kNone);
    builder_.Rule(compute, cpu_, RuleKind::kExact, 0.5);
    builder_.Rule(wait, cpu_, RuleKind::kNone);
    builder_.Add(0, kNoId, 0, 160.0 * kSteps);
    for (int step = 0; step < kSteps; ++step) {
      const double start_ms = 160.0 * step;
      const double busy_ms = 20 + 10 * (step % 5);
      builder_.Add(compute, 0, start_ms, start_ms + busy_ms, std::to_string(step));
      builder_.Add(wait, 0, start_ms + busy_ms, start_ms + 160, std::to_string(step));
      for (double at_ms = 0; at_ms < 160; at_ms += 10)
        builder_.Sample(cpu_, start_ms + at_ms, start_ms + at_ms + 10, at_ms < busy_ms ? 2 : 0);
    }
    job_ = builder_.Build();
  }

  static constexpr int kSteps = 40;
  JobBuilder builder_;
  ResourceId cpu_ = 0;
  Job job_;
};

TEST_F(AccuracyTest, TunedRulesFindBackWhatCoarseSamplesHide) {
  const absl::StatusOr<AccuracyTable> table = StudyAccuracy(job_, cpu_, {});
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ(table->interval_ns, 10'000'000U);
  EXPECT_EQ(table->samples, 640U);
  EXPECT_NEAR(table->total_use, 2 * 0.04 * 40, 1e-9);
  ASSERT_EQ(table->rows.size(), 4U);
  for (const AccuracyRow& row : table->rows) {
    ASSERT_EQ(row.errors.size(), 7U);
    EXPECT_NEAR(row.errors[0], 0, 1e-9);  // nothing was made coarser
  }
  const std::vector<double>& constant = table->rows[0].errors;
  const std::vector<double>& untuned = table->rows[1].errors;
  const std::vector<double>& tuned = table->rows[2].errors;
  EXPECT_THAT(tuned, Each(DoubleNear(0, 1e-9)));
  // Sixteen samples in one: a step each, computing for a known part of it.
  const std::vector<double>& learned = table->rows[3].errors;
  EXPECT_LT(learned[4], 0.25 * constant[4]);
  EXPECT_LT(learned[4], 0.25 * untuned[4]);
  EXPECT_GT(constant[3], 0.5);
  for (size_t i = 1; i < constant.size(); ++i) {
    EXPECT_GE(constant[i], constant[i - 1] - 1e-9);
    EXPECT_GT(untuned[i], tuned[i]);
  }
}

TEST_F(AccuracyTest, OneStepByHand) {
  // 16 samples as one: 20 ms at 2 of 160 ms are 0.25 all along: 1.75 · 2 + 0.25 · 14 of 4.
  AccuracyOptions options;
  options.factors = {16};
  Job job = job_;
  job.samples[cpu_].resize(16);
  const absl::StatusOr<AccuracyTable> table = StudyAccuracy(job, cpu_, options);
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_NEAR(table->rows[0].errors[0], 7.0 / 4, 1e-9);
  EXPECT_NEAR(table->rows[2].errors[0], 0, 1e-9);
}

TEST_F(AccuracyTest, GapsAreNotBridged) {
  AccuracyOptions options;
  options.factors = {64};
  Job job = job_;
  std::vector<ResourceSample>& samples = job.samples[cpu_];
  samples.resize(4);
  samples[2].start_ns += 1'000'000;  // now two and two
  const absl::StatusOr<AccuracyTable> table = StudyAccuracy(job, cpu_, options);
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_NEAR(table->rows[0].errors[0], 0, 1e-9);
}

TEST_F(AccuracyTest, RecordsAreATruthToo) {
  MeasuredUse measured = {cpu_, {{0, MsToNs(6400)}}, {}};
  for (PhaseId phase = 1; phase < job_.phases.size(); ++phase) {
    const Phase& it = job_.phases[phase];
    if (it.type == 1) measured.pieces.push_back({phase, it.start_ns, it.end_ns, 2});
  }
  const std::vector<ResourceSample> truth = SamplesOf(job_, measured, 10'000'000);
  EXPECT_EQ(truth.size(), 640U);
  const absl::StatusOr<AccuracyTable> table = StudyAccuracyAgainst(job_, cpu_, truth, {});
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_THAT(table->rows[2].errors, Each(DoubleNear(0, 1e-9)));

  const absl::StatusOr<Attribution> estimated = Attribute(job_, {});
  ASSERT_TRUE(estimated.ok());
  EXPECT_NEAR(PhaseError(job_, *estimated, measured), 0, 1e-9);
  measured.pieces[0].use = 1;  // 40 of 3200 - 20
  EXPECT_NEAR(PhaseError(job_, *estimated, measured), 0.02 / 3.18, 1e-9);
}

TEST_F(AccuracyTest, SaysWhyItCannotTell) {
  EXPECT_FALSE(StudyAccuracy(job_, 7, {}).ok());
  Job job = job_;
  job.samples[cpu_].clear();
  EXPECT_THAT(StudyAccuracy(job, cpu_, {}).status().message(),
              ::testing::HasSubstr("no samples within the job"));
}

}  // namespace
}  // namespace gordian
