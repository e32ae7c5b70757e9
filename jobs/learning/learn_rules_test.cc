// SPDX-License-Identifier: Apache-2.0
#include "jobs/learning/learn_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jobs/attribution/test_jobs.h"

namespace gordian {
namespace {

using ::testing::DoubleNear;

constexpr uint64_t kSliceNs = 10'000'000;

// Steps of a second: first they load, then they compute, which uses four times as much, then
// nothing of them runs. How long each part lasts differs from step to step; a sample for each step.
class LearnedRules : public ::testing::Test {
 protected:
  LearnedRules() {
    job_type_ = builder_.Type("Job");
    load_ = builder_.Type("Load", job_type_, PhaseRepeat::kSequential);
    compute_ = builder_.Type("Compute", job_type_, PhaseRepeat::kSequential);
    cpu_ = builder_.Consumable("cpu", 100);
    builder_.Add(job_type_, kNoId, 0, 1000.0 * kSteps);
    for (int step = 0; step < kSteps; ++step) {
      const double start_ms = 1000.0 * step;
      const double loaded_ms = start_ms + 100 + 50 * (step % 5);
      const double computed_ms = loaded_ms + 100 + 100 * (step % 3);
      builder_.Add(load_, 0, start_ms, loaded_ms, std::to_string(step));
      builder_.Add(compute_, 0, loaded_ms, computed_ms, std::to_string(step));
      const double use = (10 * (loaded_ms - start_ms) + 40 * (computed_ms - loaded_ms)) / 1000;
      builder_.Sample(cpu_, start_ms, start_ms + 1000, use);
    }
  }

  AttributionRule Rule(const Job& job, PhaseTypeId type) const {
    return job.model.rule(type, job.resources[cpu_].type);
  }

  static constexpr int kSteps = 60;
  JobBuilder builder_;
  PhaseTypeId job_type_ = 0, load_ = 0, compute_ = 0;
  ResourceId cpu_ = 0;
};

TEST_F(LearnedRules, TellKindsApartThatEverySampleHoldsTogether) {
  Job job = builder_.Build();
  LearnRules(job.samples, kSliceNs, job);
  EXPECT_EQ(Rule(job, load_).kind, RuleKind::kVariable);
  EXPECT_EQ(Rule(job, compute_).kind, RuleKind::kVariable);
  EXPECT_THAT(Rule(job, compute_).amount / Rule(job, load_).amount, DoubleNear(4, 0.8));
  EXPECT_LT(Rule(job, job_type_).amount, 0.1 * Rule(job, load_).amount) << "nothing runs between";
}

TEST_F(LearnedRules, FindUseBetweenThePartsOfAPhase) {
  Job job = builder_.Build();
  for (ResourceSample& sample : job.samples[cpu_]) sample.use = 20;  // all the time
  LearnRules(job.samples, kSliceNs, job);
  EXPECT_THAT(Rule(job, job_type_).amount / Rule(job, load_).amount, DoubleNear(1, 0.3));
}

TEST_F(LearnedRules, LeaveAResourceOfWhichTheModelSaysAnything) {
  builder_.Rule(load_, cpu_, RuleKind::kNone);
  Job job = builder_.Build();
  LearnRules(job.samples, kSliceNs, job);
  EXPECT_EQ(Rule(job, compute_).kind, RuleKind::kLeaves);
  EXPECT_EQ(Rule(job, compute_).amount, 1);
}

TEST_F(LearnedRules, LeaveWhatIsMeasured) {
  Job job = builder_.Build();
  const std::vector<MeasuredUse> measured = {{.resource = cpu_}};
  LearnRules(job.samples, kSliceNs, job, measured);
  EXPECT_EQ(Rule(job, compute_).kind, RuleKind::kLeaves);
}

TEST_F(LearnedRules, LeaveAllAsItIsWithoutSamplesOrUse) {
  Job job = builder_.Build();
  for (ResourceSample& sample : job.samples[cpu_]) sample.use = 0;
  LearnRules(job.samples, kSliceNs, job);
  EXPECT_EQ(Rule(job, compute_).kind, RuleKind::kLeaves);
  job.samples[cpu_].clear();
  LearnRules(job.samples, kSliceNs, job);
  EXPECT_EQ(Rule(job, compute_).kind, RuleKind::kLeaves);
}

}  // namespace
}  // namespace gordian
