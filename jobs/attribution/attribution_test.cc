// SPDX-License-Identifier: Apache-2.0
// Use to phases: the vectors, the demand of phases over time, and odd input.
#include "jobs/attribution/attribution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "jobs/attribution/test_jobs.h"
#include "trace/counters.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Attribution MustAttribute(const Job& job, AttributionOptions options = {}) {
  absl::StatusOr<Attribution> attribution = Attribute(job, options);
  EXPECT_TRUE(attribution.ok()) << attribution.status();
  return attribution.ok() ? *std::move(attribution) : Attribution{};
}

// Use of each phase in its one timeslice of 10 ms.
std::vector<double> Rates(const Attribution& attribution) {
  std::vector<double> rates;
  for (const double own : attribution.own_use) rates.push_back(own * 100);
  return rates;
}

struct SliceVector {
  double use;
  std::vector<double> parts;
};

TEST(Attribution, ExactComesFirstAndTheRestGoesByWeight) {
  for (const SliceVector& vector : {SliceVector{40, {0, 25, 15, 0, 0}}, {95, {0, 50, 30, 10, 5}}}) {
    JobBuilder builder;
    const PhaseTypeId root = builder.Type("Job");
    const ResourceId r = builder.Consumable("r", 100);
    builder.Add(root, kNoId, 0, 10);
    const auto add = [&](const std::string& name, RuleKind kind, double amount) {
      const PhaseTypeId type = builder.Type(name, root);
      builder.Rule(type, r, kind, amount);
      builder.Add(type, 0, 0, 10);
    };
    add("E50", RuleKind::kExact, 0.5);
    add("E30", RuleKind::kExact, 0.3);
    add("V2", RuleKind::kVariable, 2);
    add("V1", RuleKind::kVariable, 1);
    builder.Sample(r, 0, 10, vector.use);
    EXPECT_THAT(Rates(MustAttribute(builder.Build())),
                ::testing::Pointwise(::testing::DoubleNear(kNear), vector.parts));
  }
}

TEST(Attribution, Figure2) {
  JobBuilder builder;
  const PhaseTypeId root = builder.Type("Job");
  const ResourceId r2 = builder.Consumable("R2", 100);
  const PhaseTypeId p2 = builder.Type("P2", root);
  const PhaseTypeId p3 = builder.Type("P3", root);
  builder.Rule(p3, r2, RuleKind::kExact, 0.5);
  builder.Add(root, kNoId, 0, 20);
  builder.Add(p2, 0, 0, 20);
  builder.Add(p3, 0, 10, 20);
  builder.Sample(r2, 0, 20, 40);
  const Job job = builder.Build();
  const Attribution attribution = MustAttribute(job);
  EXPECT_THAT(SeriesOf(job, attribution, {}, r2, std::vector<PhaseId>{1}).use,
              ElementsAre(::testing::DoubleNear(15, kNear), ::testing::DoubleNear(15, kNear)));
  EXPECT_THAT(SeriesOf(job, attribution, {}, r2, std::vector<PhaseId>{2}).use,
              ElementsAre(::testing::DoubleNear(50, kNear)));
  const UseSeries all = SeriesOf(job, attribution, {}, r2, PhasesOfType(job, root));
  EXPECT_THAT(all.use,
              ElementsAre(::testing::DoubleNear(15, kNear), ::testing::DoubleNear(65, kNear)));
  EXPECT_THAT(all.exact_demand, ElementsAre(0, 50));
  EXPECT_THAT(all.weight, ElementsAre(1, 1));
  EXPECT_NEAR(attribution.At(attribution.use, 0, r2), 0.8, kNear);
  EXPECT_NEAR(attribution.At(attribution.own_use, 0, r2), 0, kNear);
}

TEST(Timeslices, StartsRoundToTheNearestAndEndsToTheNearestMinusOne) {
  const Timeslices slices = {0, 10'000'000, 10};
  EXPECT_EQ(slices.Of(MsToNs(14), MsToNs(26)), (Range{1, 3}));  // 1 and 2
  EXPECT_EQ(slices.Of(MsToNs(16), MsToNs(24)).size(), 0U);
  EXPECT_EQ(slices.Of(MsToNs(15), MsToNs(25)), (Range{2, 3}));
  EXPECT_EQ(slices.Of(MsToNs(95), MsToNs(1000)), (Range{10, 10}));
}

TEST(Timeslices, ThoseTouchedAndThoseWithinAreNotRounded) {
  const Timeslices slices = {100, 10, 5};
  EXPECT_EQ(slices.Touching({114, 126}), (Range{1, 3}));
  EXPECT_EQ(slices.Within({114, 131}), (Range{2, 3}));
  EXPECT_EQ(slices.Within({114, 126}).size(), 0U);
  EXPECT_EQ(slices.Touching({0, 100}).size(), 0U);
  EXPECT_EQ(slices.Touching({0, UINT64_MAX}), (Range{0, 5}));
}

TEST(Attribution, APhaseDemandsWhereNoPhaseWithinRuns) {
  JobBuilder builder;
  const PhaseTypeId root = builder.Type("Job");
  const PhaseTypeId step = builder.Type("Step", root);
  builder.Consumable("r", 100);
  builder.Add(root, kNoId, 0, 100);
  builder.Add(step, 0, 10, 30);
  builder.Add(step, 0, 20, 50);
  builder.Add(step, 0, 70, 80);
  const Attribution attribution = MustAttribute(builder.Build());
  EXPECT_THAT(attribution.active[0], ElementsAre(Range{0, 1}, Range{5, 7}, Range{8, 10}));
  EXPECT_THAT(attribution.active[2], ElementsAre(Range{2, 5}));
}

TEST(Attribution, ByDefaultAPhaseOfOthersDemandsNothingBetweenThem) {
  const auto use_of_step = [](bool job_demands) {
    JobBuilder builder;
    const PhaseTypeId root = builder.Type("Job");
    const PhaseTypeId step = builder.Type("Step", root);
    const ResourceId cpu = builder.Consumable("cpu", 100);
    if (job_demands) builder.Rule(root, cpu, RuleKind::kVariable);
    builder.Add(root, kNoId, 0, 100);
    builder.Add(step, 0, 20, 60);
    builder.Sample(cpu, 0, 100, 40);
    const Attribution attribution = MustAttribute(builder.Build());
    const std::vector<double>& use = attribution.resources[cpu].use;
    return std::accumulate(use.begin() + 2, use.begin() + 6, 0.0);
  };
  EXPECT_DOUBLE_EQ(use_of_step(false), 400);  // all of it
  EXPECT_DOUBLE_EQ(use_of_step(true), 160);   // as much as any other time
}

TEST(Attribution, BlockedTimeHoldsForAllWithinExceptForThoseItDoesNotConcern) {
  JobBuilder builder;
  const PhaseTypeId root = builder.Type("Job");
  const PhaseTypeId compute = builder.Type("Compute", root);
  const PhaseTypeId logger = builder.Type("Logger", root);
  const ResourceId cpu = builder.Consumable("cpu", 100);
  const ResourceId gc = builder.Blocking("gc");
  builder.Rule(logger, gc, RuleKind::kNone);
  builder.Add(root, kNoId, 0, 60);
  builder.Add(compute, 0, 0, 60);
  builder.Add(logger, 0, 0, 60);
  builder.Block(0, gc, 20, 40);
  builder.Sample(cpu, 0, 60, 30);
  const Attribution attribution = MustAttribute(builder.Build());
  EXPECT_THAT(attribution.active[0], IsEmpty());
  EXPECT_THAT(attribution.active[1], ElementsAre(Range{0, 2}, Range{4, 6}));
  EXPECT_THAT(attribution.active[2], ElementsAre(Range{0, 6}));
}

TEST(Attribution, ANodesResourceIsForThePhasesOfThatNode) {
  JobBuilder builder;
  const PhaseTypeId root = builder.Type("Job");
  const PhaseTypeId worker = builder.Type("Worker", root);
  const PhaseTypeId compute = builder.Type("Compute", worker);
  const ResourceId cpu = builder.Consumable("cpu", 100);
  builder.Add(root, kNoId, 0, 10);
  builder.Add(worker, 0, 0, 10);
  builder.Add(worker, 0, 0, 10);
  builder.Add(compute, 1, 0, 10);  // of the nodes of the workers
  builder.Add(compute, 2, 0, 10);
  builder.At(1).node = "a";
  builder.At(2).node = "b";
  builder.Sample(cpu, 0, 10, 40);
  Job job = builder.Build();
  job.resources[0].node = "a";
  const Attribution attribution = MustAttribute(job);
  EXPECT_NEAR(attribution.At(attribution.use, 3, cpu), 0.4, kNear);
  EXPECT_EQ(attribution.At(attribution.use, 4, cpu), 0);
}

TEST(Attribution, WhatNobodyDemandsIsUnattributed) {
  JobBuilder builder = JobOfDemands({{30, 0}, {0, 0}});
  builder.Sample(0, 0, 20, 40);
  const Attribution attribution = MustAttribute(builder.Build());
  EXPECT_NEAR(attribution.resources[0].total_use, 0.8, kNear);
  EXPECT_NEAR(attribution.At(attribution.use, 0, 0), 0.3, kNear);
  EXPECT_NEAR(attribution.resources[0].unattributed_use, 0.5, kNear);
}

TEST(Attribution, AnEmptyJobHasNothing) {
  const Attribution attribution = MustAttribute(Job{});
  EXPECT_EQ(attribution.slices.count, 0U);
  JobBuilder builder;
  builder.Type("Job");
  builder.Consumable("r", 100);
  builder.Sample(0, 0, 10, 40);
  EXPECT_EQ(MustAttribute(builder.Build()).resources[0].total_use, 0);
}

TEST(Attribution, PhasesThatEndBeforeTheyStartAreEmptyAndCounted) {
  JobBuilder builder = JobOfDemands({{0, 1}, {0, 1}});
  builder.Add(1, 0, 15, 5);
  builder.Sample(0, 0, 20, 40);
  const Attribution attribution = MustAttribute(builder.Build());
  EXPECT_EQ(attribution.At(attribution.use, 3, 0), 0);
  ASSERT_FALSE(attribution.counts.empty());
  EXPECT_EQ(attribution.counts[0].name, "phases_ending_before_start");
}

TEST(Attribution, CountsUnderNamesThatReportsKnow) {
  JobBuilder builder = JobOfDemands({{0, 1}, {0, 1}, {0, 1}});
  const ResourceId unlimited = builder.Consumable("unlimited", 0);
  builder.Add(1, 0, 15, 5);
  for (const ResourceId resource : {ResourceId{0}, unlimited}) {
    builder.Sample(resource, 0, 10, 120);
    builder.Sample(resource, 5, 15, 10);
    builder.Sample(resource, 16, 17, -1);
    builder.Sample(resource, 50, 60, 10);
  }
  Job job = builder.Build();
  const MeasuredUse measured = {unlimited, {{0, MsToNs(20)}}, {{1, 0, MsToNs(20), 400}}};
  const absl::StatusOr<Attribution> attribution = Attribute(job, {}, std::vector{measured});
  ASSERT_TRUE(attribution.ok()) << attribution.status();
  EXPECT_EQ(attribution->counts.size(), 9U);
  for (const AttributionCount& count : attribution->counts)
    EXPECT_NE(FindCounter(count.name), nullptr) << count.name;
}

TEST(Attribution, TimeslicesOfOneNanosecondWork) {
  JobBuilder builder;
  builder.Type("Job");
  builder.Consumable("r", 100);
  builder.Add(0, kNoId, 0, 0.001);
  builder.Sample(0, 0, 0.001, 40);
  const Attribution attribution = MustAttribute(builder.Build(), {.slice_ns = 1});
  EXPECT_EQ(attribution.slices.count, 1000U);
  EXPECT_NEAR(attribution.At(attribution.use, 0, 0), 40e-6, 1e-15);
}

TEST(Attribution, RefusesMoreTimeslicesThanItCanHold) {
  JobBuilder builder;
  builder.Type("Job");
  builder.Add(0, kNoId, 0, 1e12);
  EXPECT_THAT(Attribute(builder.Build(), {}).status().message(), HasSubstr("longer timeslices"));
  EXPECT_FALSE(Attribute(Job{}, {.slice_ns = 0}).ok());
}

TEST(Attribution, RefusesIdsThatLeadNowhere) {
  const Job good = JobOfDemands({{0, 1}}).Build();
  ASSERT_TRUE(CheckJob(good).ok());
  const auto is_wrong = [&good](const auto& spoil) {
    Job job = good;
    spoil(job);
    return !CheckJob(job).ok() && !Attribute(job, {}).ok();
  };
  EXPECT_TRUE(is_wrong([](Job& job) { job.phases[1].type = 9; }));
  EXPECT_TRUE(is_wrong([](Job& job) { job.phases[1].parent = 1; }));
  EXPECT_TRUE(is_wrong([](Job& job) { job.phases[1].parent = kNoId; }));
  EXPECT_TRUE(is_wrong([](Job& job) { job.phases[1].end_ns = UINT64_MAX; }));
  EXPECT_TRUE(is_wrong([](Job& job) { job.model.types[1].after = {0}; }));
  EXPECT_TRUE(is_wrong([](Job& job) { job.model.rules.pop_back(); }));
  EXPECT_TRUE(is_wrong([](Job& job) { job.model.rules[0].amount = -1; }));
  EXPECT_TRUE(is_wrong([](Job& job) { job.resources[0].type = 5; }));
  EXPECT_TRUE(is_wrong([](Job& job) { job.resources[0].capacity = -1; }));
  EXPECT_TRUE(is_wrong([](Job& job) { job.samples.resize(2); }));
  EXPECT_TRUE(is_wrong([](Job& job) { job.blocked.push_back({1, 0, 0, 1}); }));
}

}  // namespace
}  // namespace gordian
