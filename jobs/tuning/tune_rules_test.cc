// SPDX-License-Identifier: Apache-2.0
#include "jobs/tuning/tune_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>

#include "jobs/attribution/random_jobs.h"
#include "jobs/attribution/test_jobs.h"

namespace gordian {
namespace {

using ::testing::DoubleNear;

constexpr uint64_t kSliceNs = 10'000'000;
constexpr int kSteps = 40;
constexpr double kStepMs = 800;

// Steps: one thread loads (1 core), then one to four compute (0.5 cores each), then nothing runs.
// How long each part lasts differs from step to step. A sample every 40 ms tells the use, with
// noise.
class TunedRules : public ::testing::Test {
 protected:
  TunedRules() {
    job_type_ = builder_.Type("Job");
    load_ = builder_.Type("Load", job_type_, PhaseRepeat::kSequential);
    compute_ = builder_.Type("Compute", job_type_, PhaseRepeat::kConcurrent);
    never_ = builder_.Type("Never", job_type_);
    cpu_ = builder_.Consumable("cpu", 4);
    builder_.Add(job_type_, kNoId, 0, kSteps * kStepMs);
    use_.assign(static_cast<size_t>(kSteps * kStepMs / 10), 0.0);
    for (int step = 0; step < kSteps; ++step) {
      const double start_ms = kStepMs * step;
      const double loaded_ms = start_ms + 100 + 30 * (step % 5);
      const double computed_ms = loaded_ms + 150 + 70 * (step % 3);
      Run(load_, start_ms, loaded_ms, 1, std::to_string(step));
      for (int thread = 0; thread <= step % 4; ++thread)
        Run(compute_, loaded_ms, computed_ms, 0.5,
            std::to_string(step) + "-" + std::to_string(thread));
    }
  }

  void Run(PhaseTypeId type, double start_ms, double end_ms, double cores, const std::string& key) {
    const PhaseId phase = builder_.Add(type, 0, start_ms, end_ms, key);
    for (double at = start_ms; at < end_ms; at += 10) use_[static_cast<size_t>(at / 10)] += cores;
    measured_.pieces.push_back({phase, MsToNs(start_ms), MsToNs(end_ms), cores});
  }

  Job WithSamples(double noise, double limit = 1e9) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> around(1 - noise, 1 + noise);
    for (size_t slice = 0; slice + 4 <= use_.size(); slice += 4) {
      double sum = 0;
      for (size_t i = slice; i < slice + 4; ++i) sum += std::min(limit, use_[i]);
      const double start_ms = 10.0 * static_cast<double>(slice);
      builder_.Sample(cpu_, start_ms, start_ms + 40, sum / 4 * around(random));
    }
    Job job = builder_.Build();
    job.model.resources[0].unit = "cores";
    job.model.resources[0].capacity = 0;  // only the instance tells it
    return job;
  }

  TunedResource Tune(Job& job, bool by_records = false) {
    measured_.resource = cpu_;
    measured_.known_ns = {{0, MsToNs(kSteps * kStepMs)}};
    std::vector<MeasuredUse> measured;
    if (by_records) measured.push_back(measured_);
    const auto tuned = TuneRules(measured, kSliceNs, 1, job);
    EXPECT_TRUE(tuned.ok()) << tuned.status();
    return tuned.ok() && !tuned->empty() ? tuned->front() : TunedResource{};
  }

  JobBuilder builder_;
  PhaseTypeId job_type_ = 0, load_ = 0, compute_ = 0, never_ = 0;
  ResourceId cpu_ = 0;
  std::vector<double> use_;  // by 10 ms
  MeasuredUse measured_;
};

double Ratio(const Job& job, PhaseTypeId a, PhaseTypeId b) {
  return job.model.rule(a, 0).amount / job.model.rule(b, 0).amount;
}

TEST_F(TunedRules, FindTheRulesByWhichAJobWasMade) {
  Job job = WithSamples(0.05);
  const TunedResource tuned = Tune(job);
  EXPECT_EQ(tuned.outcome, TuneOutcome::kTuned);
  EXPECT_FALSE(tuned.by_records);
  EXPECT_THAT(Ratio(job, load_, compute_), DoubleNear(2, 0.2));
  EXPECT_LT(tuned.error_after, tuned.error_before);
  EXPECT_LT(tuned.error_before, tuned.error_constant);
}

TEST_F(TunedRules, TakeWhatRecordsSayOfEachKindOfPhases) {
  Job job = WithSamples(0.05);
  for (ResourceSample& sample : job.samples[cpu_]) sample.use = 3;  // other programs
  const TunedResource tuned = Tune(job, true);
  EXPECT_TRUE(tuned.by_records);
  EXPECT_EQ(tuned.outcome, TuneOutcome::kTuned);
  EXPECT_THAT(Ratio(job, load_, compute_), DoubleNear(2, 0.05));
  EXPECT_LT(tuned.error_after, 0.01);
}

// A job on one of four CPUs: four threads use no more than two do.
TEST_F(TunedRules, ComeWithTheCapacityThatTheJobGets) {
  Job job = WithSamples(0.02, 1);
  const TunedResource tuned = Tune(job);
  EXPECT_EQ(tuned.outcome, TuneOutcome::kTuned);
  EXPECT_THAT(tuned.capacity_after, DoubleNear(1, 0.05));
  EXPECT_EQ(job.model.resources[0].capacity, tuned.capacity_after);
  EXPECT_EQ(job.resources[cpu_].capacity, tuned.capacity_after);
  EXPECT_LT(tuned.error_after, 0.7 * tuned.error_before);
}

TEST_F(TunedRules, KeepTheCapacityThatTheModelSays) {
  Job job = WithSamples(0.02, 1);
  job.model.resources[0].capacity = 4;
  EXPECT_EQ(Tune(job).capacity_after, 0);
}

TEST_F(TunedRules, StayWithoutEvidence) {
  builder_.Rule(never_, cpu_, RuleKind::kVariable, 7);
  Job job = WithSamples(0.05);
  const TunedResource tuned = Tune(job);
  EXPECT_EQ(tuned.outcome, TuneOutcome::kTuned);
  EXPECT_EQ(job.model.rule(never_, 0), (AttributionRule{RuleKind::kVariable, 7}));
  for (const TunedRule& rule : tuned.rules) EXPECT_NE(rule.type, never_);
}

TEST_F(TunedRules, AreLeftAsTheyAreTheSecondTime) {
  for (const bool by_records : {false, true}) {
    Job job = by_records ? builder_.Build() : WithSamples(0.3);
    job.model.resources[0].unit = "cores";
    Tune(job, by_records);
    const std::vector<AttributionRule> once = job.model.rules;
    Tune(job, by_records);
    EXPECT_EQ(job.model.rules, once);
  }
}

TEST_F(TunedRules, AreLeftWhereTheModelIsRightAlready) {
  builder_.Rule(job_type_, cpu_, RuleKind::kNone);
  builder_.Rule(load_, cpu_, RuleKind::kVariable, 2);
  builder_.Rule(compute_, cpu_, RuleKind::kVariable, 1);
  Job job = WithSamples(0);
  const std::vector<AttributionRule> before = job.model.rules;
  EXPECT_EQ(Tune(job).outcome, TuneOutcome::kNotBetter);
  EXPECT_EQ(job.model.rules, before);
}

TEST_F(TunedRules, MendARuleThatSaysNoneOfAPhaseThatUsesMost) {
  builder_.Rule(compute_, cpu_, RuleKind::kNone);
  Job job = WithSamples(0.05);
  const TunedResource tuned = Tune(job);
  EXPECT_EQ(tuned.outcome, TuneOutcome::kTuned);
  EXPECT_THAT(Ratio(job, load_, compute_), DoubleNear(2, 0.2));
}

TEST_F(TunedRules, TellWhyTheyStay) {
  Job job = builder_.Build();
  EXPECT_EQ(Tune(job).outcome, TuneOutcome::kNoUse);
  job.samples.resize(1);
  job.samples[cpu_] = {{0, MsToNs(40), 1}};
  EXPECT_EQ(Tune(job).outcome, TuneOutcome::kTooLittle);
  job.samples[cpu_] = {{0, MsToNs(40), -1}, {5, 4, 1}};
  EXPECT_EQ(Tune(job).outcome, TuneOutcome::kNoUse);
}

TEST_F(TunedRules, RefuseAJobThatCannotBeAttributed) {
  Job job = WithSamples(0);
  job.model.rules.pop_back();
  EXPECT_FALSE(TuneRules({}, kSliceNs, 1, job).ok());
  job = builder_.Build();
  EXPECT_FALSE(TuneRules({}, 0, 1, job).ok());
}

RC_GTEST_PROP(TunedRandomJobs, CanBeAttributedAndTunedAgain, ()) {
  Job job = RandomJob({});
  for (ResourceType& resource : job.model.resources) resource.unit = "cores";
  const size_t resources = job.model.resources.size();
  const auto tuned = TuneRules({}, kSliceNs, resources, job);
  RC_ASSERT(tuned.ok());
  RC_ASSERT(CheckJob(job).ok());
  for (const TunedResource& it : *tuned) {
    RC_ASSERT(it.outcome != TuneOutcome::kTuned || it.error_after < it.error_before);
    if (it.capacity_after > 0) return;  // fitted with another capacity for each half
  }
  const std::vector<AttributionRule> once = job.model.rules;
  RC_ASSERT(TuneRules({}, kSliceNs, resources, job).ok());
  RC_ASSERT(job.model.rules == once);
}

}  // namespace
}  // namespace gordian
