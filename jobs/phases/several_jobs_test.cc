// SPDX-License-Identifier: Apache-2.0
#include "jobs/phases/several_jobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "jobs/attribution/attribution.h"
#include "jobs/attribution/test_jobs.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A job of two steps that uses the CPU and a lock of its own.
JobReading TwoSteps(const std::string& name, double start_ms, double step_ms) {
  JobBuilder job;
  const PhaseTypeId root = job.Type("Job");
  const PhaseTypeId step = job.Type("Step", root, PhaseRepeat::kSequential);
  const ResourceId cpu = job.Consumable("cpu", 4);
  const ResourceId gc = job.Blocking("gc");
  job.Rule(step, cpu, RuleKind::kExact, 0.5);
  const PhaseId whole = job.Add(root, kNoId, start_ms, start_ms + 2 * step_ms);
  job.Add(step, whole, start_ms, start_ms + step_ms, "1");
  const PhaseId second = job.Add(step, whole, start_ms + step_ms, start_ms + 2 * step_ms, "2");
  job.At(second).after = {second - 1};
  job.Sample(cpu, 0, 1000, 3);
  job.Block(second, gc, start_ms + step_ms, start_ms + step_ms + 1);
  JobReading reading;
  reading.job = job.Build();
  reading.job.model.name = name;
  reading.log_lines = 10;
  return reading;
}

std::vector<std::string> Tree(const Job& job) {
  std::vector<std::string> lines;
  for (PhaseId id = 0; id < job.phases.size(); ++id) {
    lines.push_back(absl::StrCat(PathOf(job, id), " ", job.phases[id].start_ns / 1'000'000, "..",
                                 job.phases[id].end_ns / 1'000'000));
  }
  return lines;
}

TEST(SeveralJobs, StandByTheirBeginningUnderOneRoot) {
  const Job job = MergeJobs(std::vector{TwoSteps("late", 100, 50), TwoSteps("early", 0, 300)}).job;
  EXPECT_THAT(Tree(job),
              ElementsAre("/jobs 0..600", "/jobs/early 0..600", "/jobs/early/Step[1] 0..300",
                          "/jobs/early/Step[2] 300..600", "/jobs/late 100..200",
                          "/jobs/late/Step[1] 100..150", "/jobs/late/Step[2] 150..200"));
  EXPECT_THAT(job.jobs, ElementsAre(1, 4));
  EXPECT_THAT(job.phases[6].after, ElementsAre(5));
  EXPECT_TRUE(CheckJob(job).ok()) << CheckJob(job);
}

TEST(SeveralJobs, OfTheSameModelHaveNumbers) {
  const Job job = MergeJobs(std::vector{TwoSteps("spark", 0, 50), TwoSteps("spark", 1, 50)}).job;
  EXPECT_EQ(PathOf(job, 1), "/jobs/spark");
  EXPECT_EQ(PathOf(job, 4), "/jobs/spark 2");
  EXPECT_NE(job.phases[2].type, job.phases[5].type) << "jobs are not compared with each other";
}

TEST(SeveralJobs, ShareTheMachinesResources) {
  const JobReading merged = MergeJobs(std::vector{TwoSteps("a", 0, 50), TwoSteps("b", 10, 50)});
  const Job& job = merged.job;
  ASSERT_EQ(job.resources.size(), 3U);
  EXPECT_EQ(job.resources[0].name, "cpu");
  EXPECT_EQ(job.samples[0].size(), 1U) << "both jobs told the same samples";
  EXPECT_THAT(merged.counters, IsEmpty());
  const ResourceTypeId cpu = job.resources[0].type;
  EXPECT_EQ(job.model.rule(job.phases[2].type, cpu).kind, RuleKind::kExact);
  EXPECT_EQ(job.model.rule(job.phases[5].type, cpu).kind, RuleKind::kExact);
}

TEST(SeveralJobs, AreBlockedByTheirOwnResourcesOnly) {
  const Job job = MergeJobs(std::vector{TwoSteps("a", 0, 50), TwoSteps("b", 10, 50)}).job;
  ASSERT_EQ(job.blocked.size(), 2U);
  EXPECT_EQ(PathOf(job, job.blocked[1].phase), "/jobs/b/Step[2]");
  const ResourceTypeId gc_of_b = job.resources[job.blocked[1].resource].type;
  EXPECT_EQ(job.model.resources[gc_of_b].name, "gc of b");
  EXPECT_EQ(job.model.rule(job.phases[2].type, gc_of_b).kind, RuleKind::kNone);
}

TEST(SeveralJobs, OtherSamplesOfTheSameResourceAreCounted) {
  JobReading other = TwoSteps("b", 10, 50);
  other.job.samples[0][0].use = 1;
  other.counters = {{.name = "log_lines_unmatched", .value = 2, .examples = {"x"}}};
  JobReading first = TwoSteps("a", 0, 50);
  first.counters = {{.name = "log_lines_unmatched", .value = 3, .examples = {"y"}}};
  const JobReading merged = MergeJobs(std::vector{first, other});
  EXPECT_EQ(merged.log_lines, 20U);
  ASSERT_EQ(merged.counters.size(), 2U);
  EXPECT_EQ(merged.counters[0].value, 5U);
  EXPECT_THAT(merged.counters[0].examples, ElementsAre("y", "x"));
  EXPECT_EQ(merged.counters[1].name, "resource_samples_overlapping");
}

TEST(SeveralJobs, OneAloneStaysAsItIs) {
  const JobReading one = MergeJobs(std::vector{TwoSteps("a", 0, 50)});
  EXPECT_EQ(PathOf(one.job, 1), "/Job/Step[1]");
  EXPECT_THAT(one.job.jobs, IsEmpty());
}

}  // namespace
}  // namespace gordian
