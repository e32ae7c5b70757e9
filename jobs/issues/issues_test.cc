// SPDX-License-Identifier: Apache-2.0
// Issues of a job: the vectors, and each kind of issue in a small job.
#include "jobs/issues/issues.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jobs/attribution/test_jobs.h"
#include "jobs/issues/candidates.h"
#include "jobs/issues/cuts.h"

namespace gordian {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

IssueReport Find(const Job& job, IssueOptions options = {}) {
  absl::StatusOr<Attribution> attribution = Attribute(job, {});
  EXPECT_TRUE(attribution.ok()) << attribution.status();
  if (!attribution.ok()) return {};
  const Bottlenecks bottlenecks = FindBottlenecks(job, *attribution, {});
  absl::StatusOr<IssueReport> report = FindIssues(job, *attribution, bottlenecks, options);
  EXPECT_TRUE(report.ok()) << report.status();
  return report.ok() ? *std::move(report) : IssueReport{};
}

const Issue* FindIssue(const IssueReport& report, IssueKind kind, PhaseTypeId type,
                       PhaseTypeId scope_type = kNoId) {
  for (const Issue& issue : report.issues) {
    if (issue.kind == kind && issue.type == type && issue.scope_type == scope_type) return &issue;
  }
  return nullptr;
}

// Supersteps of workers of threads; durations in units of 100 ms.
struct Bsp {
  static constexpr PhaseTypeId kStep = 1;
  static constexpr PhaseTypeId kWorker = 2;
  static constexpr PhaseTypeId kThread = 3;

  explicit Bsp(const std::vector<std::vector<std::vector<double>>>& steps) {
    builder.Type("Job");
    builder.Type("Superstep", 0, PhaseRepeat::kSequential);
    builder.Type("Worker", kStep, PhaseRepeat::kConcurrent);
    builder.Type("Thread", kWorker, PhaseRepeat::kConcurrent);
    builder.Blocking("queue");
    builder.Add(0, kNoId, 0, 0);
    double start_ms = 0;
    for (size_t s = 0; s < steps.size(); ++s) {
      const PhaseId step = builder.Add(kStep, 0, start_ms, start_ms, std::to_string(s));
      for (size_t w = 0; w < steps[s].size(); ++w) {
        const PhaseId worker = builder.Add(kWorker, step, start_ms, start_ms, std::to_string(w));
        for (size_t t = 0; t < steps[s][w].size(); ++t) {
          const double end_ms = start_ms + 100 * steps[s][w][t];
          threads.push_back(builder.Add(kThread, worker, start_ms, end_ms, std::to_string(t)));
          for (const PhaseId around : {worker, step, PhaseId{0}}) {
            uint64_t& end_ns = builder.At(around).end_ns;
            end_ns = std::max(end_ns, MsToNs(end_ms));
          }
        }
      }
      start_ms = static_cast<double>(builder.At(step).end_ns) / 1e6;
    }
  }
  JobBuilder builder;
  std::vector<PhaseId> threads;
};

const std::vector<std::vector<std::vector<double>>> kTwoSteps = {{{4, 6}, {10, 2}},
                                                                 {{3, 3}, {5, 1}}};

TEST(Imbalance, IsJudgedAtEachLevel) {
  const Job job = Bsp(kTwoSteps).builder.Build();
  const Replay replay(job, {});
  const IssueOptions options;
  const Attribution attribution;
  const Bottlenecks bottlenecks;
  const std::vector<Issue> issues =
      ImbalanceIssues({job, attribution, bottlenecks, options, {}, replay}, GroupLevels(job));
  EXPECT_EQ(replay.makespan_ns(), 1'500'000'000);
  ASSERT_EQ(issues.size(), 3U);
  const Issue& workers = issues[0];
  EXPECT_EQ(workers.type, Bsp::kWorker);
  EXPECT_NEAR(workers.gain, 3.0 / 15, 1e-9);
  const Issue& within = issues[1];
  EXPECT_EQ(within.scope_type, Bsp::kWorker);
  EXPECT_NEAR(within.gain, 6.0 / 15, 1e-9);  // 6 + 3
  const Issue& threads = issues[2];
  EXPECT_EQ(threads.type, Bsp::kThread);
  EXPECT_EQ(threads.scope_type, Bsp::kStep);
  EXPECT_NEAR(threads.gain, 6.5 / 15, 1e-9);
  EXPECT_EQ(threads.phase_count, 8U);
  EXPECT_EQ(threads.phases[0].shorter_ns, 450'000'000);  // 10 instead of 5.5
  EXPECT_NEAR(threads.phases[0].of_siblings, 5, 1e-9);
  EXPECT_NEAR(threads.phases[0].of_others, 2, 1e-9);
}

TEST(Imbalance, UnequalGroupsArePooled) {
  const IssueReport report = Find(Bsp({{{9}, {3, 3, 3}}}).builder.Build());
  const Issue* threads = FindIssue(report, IssueKind::kImbalance, Bsp::kThread, Bsp::kStep);
  ASSERT_NE(threads, nullptr);
  EXPECT_NEAR(threads->gain, (9 - 4.5) / 9, 1e-9);
}

TEST(Imbalance, OfWorkersIsNotToldAgainOfTheirThreads) {
  const IssueReport report = Find(Bsp({{{4, 4}, {10, 10}}}).builder.Build());
  ASSERT_EQ(report.issues.size(), 1U);
  EXPECT_EQ(report.issues[0].type, Bsp::kWorker);
  EXPECT_NEAR(report.issues[0].gain, 0.3, 1e-9);
}

TEST(Imbalance, PhasesOfDifferentTurnsAreNotExchanged) {
  JobBuilder builder;
  builder.Type("Job");
  builder.Type("Worker", 0, PhaseRepeat::kConcurrent);
  builder.Type("Step", 1, PhaseRepeat::kSequential);
  builder.Add(0, kNoId, 0, 400);
  for (int worker = 0; worker < 2; ++worker) {
    builder.Add(1, 0, 0, 400);
    builder.Add(2, builder.Build().phases.size() - 1, 0, 100, "0");
    builder.Add(2, builder.Build().phases.size() - 2, 100, 400, "1");
  }
  EXPECT_TRUE(Find(builder.Build()).issues.empty());
}

TEST(BottleneckIssues, BlockedTimeGoes) {
  Bsp bsp(kTwoSteps);
  const std::vector<double> blocked = {2, 4, 8, 0, 1, 1, 2, 0};
  for (size_t i = 0; i < blocked.size(); ++i) {
    const double start_ms = static_cast<double>(bsp.builder.At(bsp.threads[i]).start_ns) / 1e6;
    bsp.builder.Block(bsp.threads[i], 0, start_ms, start_ms + 100 * blocked[i]);
  }
  const IssueReport report = Find(bsp.builder.Build());
  const Issue* queue = FindIssue(report, IssueKind::kBottleneck, Bsp::kThread);
  ASSERT_NE(queue, nullptr);
  EXPECT_EQ(queue->gain_ns, 1'000'000'000);  // 15 to 5
  EXPECT_EQ(queue->blocked_ns, 1'800'000'000U);
  EXPECT_EQ(queue->phases[0].phase, bsp.threads[2]);
  EXPECT_EQ(FindIssue(report, IssueKind::kBottleneck, kNoId), nullptr);  // tells the same
}

TEST(BottleneckIssues, TheNextResourceBinds) {
  const std::vector<double> shares = {0.9, 0.6, 0.1};
  const auto gain_without = [&shares](size_t removed) {
    std::vector<double> others = shares;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(removed));
    return 1 - ShareLeft(others);
  };
  EXPECT_NEAR(gain_without(0), 0.4, 1e-12);
  EXPECT_NEAR(gain_without(1), 0.1, 1e-12);
  EXPECT_NEAR(gain_without(2), 0.1, 1e-12);
}

// One phase; three resources used by these shares.
JobBuilder OnePhase(const std::vector<double>& shares) {
  JobBuilder builder;
  builder.Type("Job");
  builder.Type("Run", 0);
  builder.Add(0, kNoId, 0, 1000);
  builder.Add(1, 0, 0, 1000);
  for (const double share : shares) {
    const ResourceId resource = builder.Consumable("r", 100);
    builder.Sample(resource, 0, 1000, 100 * share);
  }
  return builder;
}

TEST(BottleneckIssues, ASaturatedResourceGainsUntilTheNextBinds) {
  const IssueReport report = Find(OnePhase({1, 0.6, 0.1}).Build());
  ASSERT_EQ(report.issues.size(), 1U);
  EXPECT_NEAR(report.issues[0].gain, 0.4, 1e-9);
  EXPECT_THAT(report.issues[0].resources, ElementsAre(0));
  EXPECT_EQ(report.issues[0].saturated_ns, 1'000'000'000U);
}

TEST(BottleneckIssues, TwoThatOnlyHoldTogetherAreOneIssue) {
  const IssueReport report = Find(OnePhase({1, 1, 0.1}).Build());
  ASSERT_EQ(report.issues.size(), 1U);
  EXPECT_NEAR(report.issues[0].gain, 0.9, 1e-9);
  EXPECT_THAT(report.issues[0].resources, ElementsAre(0, 1));
}

TEST(BottleneckIssues, AnExactPhaseAtItsDemandStaysBoundByIt) {
  JobBuilder builder = OnePhase({1, 0.25});
  builder.Rule(1, 1, RuleKind::kExact, 0.25);
  const IssueReport report = Find(builder.Build());
  ASSERT_EQ(report.issues.size(), 1U);  // the pair
  EXPECT_THAT(report.issues[0].resources, ElementsAre(0, 1));
  EXPECT_NEAR(report.issues[0].gain, 0.75, 1e-9);  // then its own limit may rise fourfold
}

TEST(BottleneckIssues, MoreOfAFullResourceHelpsUpToThePhasesOwnLimit) {
  JobBuilder builder;
  builder.Type("Job");
  builder.Type("Thread", 0, PhaseRepeat::kConcurrent);
  const ResourceId cpu = builder.Consumable("cpu", 2);
  builder.Rule(1, cpu, RuleKind::kExact, 0.5);
  builder.Add(0, kNoId, 0, 1000);
  for (int i = 0; i < 5; ++i) builder.Add(1, 0, 0, 1000);
  builder.Sample(cpu, 0, 1000, 2);
  const IssueReport report = Find(builder.Build());
  ASSERT_EQ(report.issues.size(), 1U);
  EXPECT_NEAR(report.issues[0].gain, 0.6, 1e-9);  // 5 wanted, 2 had
}

TEST(BottleneckIssues, APhaseThatLimitsItselfCanGrowUpToTheCapacity) {
  JobBuilder builder = OnePhase({0.25});
  builder.Rule(1, 0, RuleKind::kExact, 0.25);
  const IssueReport report = Find(builder.Build());
  ASSERT_EQ(report.issues.size(), 1U);
  EXPECT_NEAR(report.issues[0].gain, 0.75, 1e-9);
  EXPECT_EQ(report.issues[0].self_limited_ns, 1'000'000'000U);
}

// Two kinds of phases, one after the other, that each use a quarter of it: the job as a whole
// cannot be spread wider, only each kind can.
TEST(BottleneckIssues, WhatLimitsItselfIsToldByKindAndNotOfTheWholeJob) {
  JobBuilder builder;
  builder.Type("Job");
  builder.Type("Load", 0);
  builder.Type("Sort", 0, PhaseRepeat::kOnce, {1});
  const ResourceId cpu = builder.Consumable("cpu", 100);
  builder.Add(0, kNoId, 0, 1000);
  for (const PhaseTypeId type : {1, 2}) {
    builder.Rule(type, cpu, RuleKind::kExact, 0.25);
    builder.Add(type, 0, 500 * (type - 1), 500 * type);
  }
  builder.Sample(cpu, 0, 1000, 25);
  const IssueReport report = Find(builder.Build());
  EXPECT_NE(FindIssue(report, IssueKind::kBottleneck, 1), nullptr);
  EXPECT_NE(FindIssue(report, IssueKind::kBottleneck, 2), nullptr);
  EXPECT_EQ(FindIssue(report, IssueKind::kBottleneck, kNoId), nullptr);
}

TEST(BottleneckIssues, EstimatesAreDoubted) {
  const IssueReport report = Find(OnePhase({1, 0.6}).Build());
  ASSERT_EQ(report.issues.size(), 1U);
  EXPECT_NEAR(report.issues[0].confidence, 0.6 * 0.7, 1e-9);
  EXPECT_THAT(report.issues[0].doubts, ElementsAre(::testing::HasSubstr("as much r as"),
                                                   ::testing::HasSubstr("samples of 100")));
}

// After the phase other programs use it. That is known, too, and belongs to no phase.
TEST(BottleneckIssues, WhatPhasesUsedIsNoEstimateIfItWasMeasured) {
  JobBuilder builder = OnePhase({1});
  const uint64_t half_ns = MsToNs(500);
  builder.At(1).end_ns = half_ns;
  const Job job = builder.Build();
  const Range all = {0, MsToNs(1000)};
  MeasuredUse measured{.resource = 0, .known_ns = {all}};
  measured.pieces = {{1, all.begin, half_ns, 100}, {kNoId, half_ns, all.end, 100}};
  absl::StatusOr<Attribution> attribution = Attribute(job, {}, {&measured, 1});
  ASSERT_TRUE(attribution.ok()) << attribution.status();
  const Bottlenecks bottlenecks = FindBottlenecks(job, *attribution, {});
  const IssueOptions options;
  const Replay replay(job, options.replay);
  Issue issue{.resources = {0}};
  JudgeConfidence({job, *attribution, bottlenecks, options, {&measured, 1}, replay}, {}, issue);
  EXPECT_THAT(issue.doubts, ElementsAre(HasSubstr("as much r as")));
}

TEST(Outliers, AreFoundAmongSiblings) {
  // Figure 6 in small: worker 1 is slow, and worker 0 has a thread that stands out.
  const Bsp bsp({{{6, 6.4, 6.2, 6.1, 18}, {9.8, 10, 10.2, 9.9, 10}}});
  const IssueReport report = Find(bsp.builder.Build());
  const Issue* within = FindIssue(report, IssueKind::kOutliers, Bsp::kThread, Bsp::kWorker);
  ASSERT_NE(within, nullptr);
  EXPECT_EQ(within->phase_count, 1U);
  EXPECT_EQ(within->phases[0].phase, bsp.threads[4]);
  EXPECT_NEAR(within->phases[0].of_siblings, 18 / 6.175, 1e-6);
  EXPECT_NEAR(within->phases[0].of_others, 18 / 9.98, 1e-6);
  EXPECT_NEAR(within->gain, (18 - 10.2) / 18, 1e-9);
}

TEST(Outliers, SlowDownTheStepsTheyAreIn) {
  const Bsp bsp({{{2, 2, 2, 2}}, {{2, 2, 5, 2}}});
  const IssueReport report = Find(bsp.builder.Build());
  const Issue* within = FindIssue(report, IssueKind::kOutliers, Bsp::kThread, Bsp::kWorker);
  ASSERT_NE(within, nullptr);
  EXPECT_NEAR(within->slowdown, 2.5, 1e-9);
  EXPECT_NEAR(within->gain, 3.0 / 7, 1e-9);
}

TEST(Outliers, StandFarAboveAllOthers) {
  EXPECT_THAT(FarAbove(std::vector<int64_t>{10, 30}), ElementsAre(false, false));
  EXPECT_THAT(FarAbove(std::vector<int64_t>{10, 11, 30}), ElementsAre(false, false, true));
  EXPECT_THAT(FarAbove(std::vector<int64_t>{10, 11, 12, 15}),
              ElementsAre(false, false, false, false));
  EXPECT_THAT(FarAbove(std::vector<int64_t>{0, 0, 0, 0}), ElementsAre(false, false, false, false));
}

// More hardware would gain more, but so much hardware does not exist.
// Load, nothing for 600 ms, Execute; Execute ends 100 ms after its only step.
Job JobWithGaps() {
  JobBuilder builder;
  builder.Type("Job");
  builder.Type("Load", 0);
  builder.Type("Execute", 0, PhaseRepeat::kOnce, {1});
  builder.Type("Step", 2);
  builder.Add(0, kNoId, 0, 1000);
  builder.Add(1, 0, 0, 100);
  builder.Add(2, 0, 700, 1000);
  builder.Add(3, 2, 700, 900);
  return builder.Build();
}

TEST(Gaps, AreIssuesOfThePhaseThatComesLate) {
  const IssueReport report = Find(JobWithGaps());
  const Issue* before = FindIssue(report, IssueKind::kGaps, 2);
  ASSERT_NE(before, nullptr);
  EXPECT_NEAR(before->gain, 0.6, 1e-9);
  ASSERT_EQ(before->phases.size(), 1U);
  EXPECT_EQ(before->phases[0].phase, 2U);
  EXPECT_EQ(before->phases[0].shorter_ns, 600'000'000);
  EXPECT_FALSE(before->phases[0].gap_at_end);
  EXPECT_THAT(before->doubts, ElementsAre());
}

TEST(Gaps, AreThoseAllTogetherTooIfNoneIsNearlyAll) {
  const IssueReport report = Find(JobWithGaps());
  ASSERT_EQ(report.issues.size(), 3U);
  EXPECT_EQ(report.issues[0].type, kNoId);
  EXPECT_NEAR(report.issues[0].gain, 0.7, 1e-9);
  EXPECT_EQ(report.issues[0].phase_count, 2U);
}

TEST(Gaps, AreNoneWherePhasesFollowEachOther) {
  JobBuilder builder;
  builder.Type("Job");
  builder.Type("Load", 0);
  builder.Type("Execute", 0, PhaseRepeat::kOnce, {1});
  builder.Add(0, kNoId, 0, 1000);
  builder.Add(1, 0, 0, 300);
  builder.Add(2, 0, 300, 1000);
  EXPECT_THAT(Find(builder.Build()).issues, ElementsAre());
}

TEST(Issues, AreRankedByWhatTheyGainAndHowSureThatIs) {
  Bsp bsp({{{10, 5}, {5, 5}}});
  const ResourceId cpu = bsp.builder.Consumable("cpu", 100);
  bsp.builder.Sample(cpu, 0, 1000, 100);
  const IssueReport report = Find(bsp.builder.Build());
  const Issue* cpu_issue = FindIssue(report, IssueKind::kBottleneck, Bsp::kThread);
  ASSERT_NE(cpu_issue, nullptr);
  EXPECT_EQ(report.issues[0].kind, IssueKind::kOutliers);
  EXPECT_GT(cpu_issue->gain, report.issues[0].gain);
}

TEST(Issues, SmallGainsAreNone) {
  const Job job = Bsp({{{10, 9.9}}}).builder.Build();
  EXPECT_TRUE(Find(job).issues.empty());
  IssueOptions options;
  options.threshold = 0.001;
  EXPECT_EQ(Find(job, options).issues.size(), 1U);
}

TEST(Issues, AnEmptyJobHasNone) {
  EXPECT_TRUE(Find(Job{}).issues.empty());
  JobBuilder builder;
  builder.Type("Job");
  builder.Add(0, kNoId, 5, 5);
  EXPECT_TRUE(Find(builder.Build()).issues.empty());
}

}  // namespace
}  // namespace gordian
