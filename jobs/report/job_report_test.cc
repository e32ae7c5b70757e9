// SPDX-License-Identifier: Apache-2.0
#include "jobs/report/job_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "analyzer/graph/wait_for_graph.h"
#include "analyzer/testing/scenario.h"
#include "jobs/attribution/test_jobs.h"
#include "jobs/report/issue_sentences.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Two supersteps of two workers each; in the second, worker 1 takes four times as long.
Job UnevenJob() {
  JobBuilder job;
  const PhaseTypeId root = job.Type("Job");
  const PhaseTypeId superstep = job.Type("Superstep", root, PhaseRepeat::kSequential);
  const PhaseTypeId worker = job.Type("Worker", superstep, PhaseRepeat::kConcurrent);
  const ResourceId cpu = job.Consumable("cpu", 2);
  const PhaseId whole = job.Add(root, kNoId, 0, 1000);
  const PhaseId first = job.Add(superstep, whole, 0, 200, "0");
  const PhaseId second = job.Add(superstep, whole, 200, 1000, "1");
  for (const char* key : {"0", "1"}) job.Add(worker, first, 0, 200, key);
  job.Add(worker, second, 200, 400, "0");
  job.Add(worker, second, 200, 1000, "1");
  job.Sample(cpu, 0, 400, 1.5);
  job.Sample(cpu, 400, 1000, 1);
  return job.Build();
}

pb::Report ReportOf(Job job, const JobRecording& recording = {}, pb::Report report = {}) {
  const auto analysis = AnalyzeJob(std::move(job), {}, {});
  EXPECT_TRUE(analysis.ok()) << analysis.status();
  AddJob(*analysis, recording, report);
  return report;
}

pb::Finding Knot(uint32_t rank, uint32_t member) {
  pb::Finding finding;
  finding.set_rank(rank);
  finding.set_kind("knot");
  finding.set_title("B and C hold each other up.");
  finding.add_members(member);
  return finding;
}

TEST(JobReport, TellsPhasesTypesAndResources) {
  const pb::Report report = ReportOf(UnevenJob());
  EXPECT_DOUBLE_EQ(report.job().makespan_s(), 1);
  EXPECT_DOUBLE_EQ(report.job().without_delays_s(), 1);
  ASSERT_EQ(report.phases_size(), 7);
  EXPECT_EQ(report.phases(6).path(), "/Job/Superstep[1]/Worker[1]");
  EXPECT_DOUBLE_EQ(report.phases(6).start_s(), 0.2);
  EXPECT_TRUE(report.phases(6).critical());
  EXPECT_FALSE(report.phases(5).critical());
  EXPECT_FALSE(report.phases(0).has_parent());
  EXPECT_EQ(report.phases(6).parent(), 2u);
  EXPECT_EQ(report.phase_types(2).path(), "/Job/Superstep/Worker");
  EXPECT_EQ(report.phase_types(2).count(), 4u);
  EXPECT_DOUBLE_EQ(report.phase_types(2).longest_s(), 0.8);
  EXPECT_DOUBLE_EQ(report.resources(0).use(), 1.2);  // core-seconds
}

TEST(JobReport, TellsThresholdsThatWereChanged) {
  JobOptions options;
  options.issues.threshold = 0.5;
  const auto analysis = AnalyzeJob(UnevenJob(), {}, options);
  ASSERT_TRUE(analysis.ok()) << analysis.status();
  pb::Report report;
  AddJob(*analysis, {}, report);
  ASSERT_EQ(report.job().thresholds_size(), 1);
  EXPECT_EQ(report.job().thresholds(0).name(), "least-gain");
  EXPECT_DOUBLE_EQ(report.job().thresholds(0).value(), 0.5);
  EXPECT_DOUBLE_EQ(report.job().thresholds(0).usual(), 0.01);
  EXPECT_LT(report.issues_size(), ReportOf(UnevenJob()).issues_size());
  EXPECT_EQ(ReportOf(UnevenJob()).job().thresholds_size(), 0);
}

TEST(JobReport, SaysNothingOfASlowdownThatRoundsToNone) {
  const auto analysis = AnalyzeJob(UnevenJob(), {}, {});
  ASSERT_TRUE(analysis.ok()) << analysis.status();
  Issue issue{.kind = IssueKind::kImbalance, .type = 2, .scope_type = 1};
  issue.worst_scope = 2;
  issue.slowdown = 1.04;
  EXPECT_THAT(WhyOf(*analysis, issue), ElementsAre("Most is lost in /Job/Superstep[1]."));
  issue.slowdown = 1.06;
  EXPECT_THAT(
      WhyOf(*analysis, issue),
      ElementsAre("Most is lost in /Job/Superstep[1], which takes 1.1 times as long for it."));
}

TEST(JobReport, UseOfATypeIsThatOfItsPhases) {
  const pb::Report report = ReportOf(UnevenJob());
  double of_type = 0;
  double of_phases = 0;
  for (const pb::AttributedUse& use : report.attribution()) {
    if (use.type() != 2) continue;
    (use.has_phase() ? of_phases : of_type) += use.use();
  }
  EXPECT_NEAR(of_type, 1.2, 1e-9);
  EXPECT_NEAR(of_phases, of_type, 1e-9);
}

TEST(JobReport, WhatCostsMuchIsTheFirstFindingAndTheVerdict) {
  const pb::Report report = ReportOf(UnevenJob());
  ASSERT_GT(report.findings_size(), 0);
  EXPECT_THAT(report.findings(0).kind(), AnyOf("imbalance", "outlier"));
  EXPECT_EQ(report.verdict(), report.findings(0).title());
  EXPECT_EQ(report.issues(0).finding(), 1u);
  EXPECT_THAT(report.findings(0).phases(), Contains(6));
  // Two workers that take 0.5 s each instead of 0.2 and 0.8.
  EXPECT_NEAR(report.issues(0).gain(), 0.3, 0.01);
  EXPECT_NEAR(report.issues(0).makespan_s(), 0.7, 0.01);
}

TEST(JobReport, KnotsStandBehindLargeIssuesAndKeepTheirOrder) {
  pb::Report before;
  before.set_verdict("B and C hold each other up.");
  *before.add_findings() = Knot(1, 7);
  *before.add_findings() = Knot(2, 8);
  before.mutable_findings(1)->set_apart(true);
  const pb::Report report = ReportOf(UnevenJob(), {}, before);
  std::vector<uint32_t> ranks;
  std::vector<uint32_t> knots;
  for (const pb::Finding& finding : report.findings()) {
    ranks.push_back(finding.rank());
    if (finding.kind() == "knot") knots.push_back(finding.members(0));
  }
  for (uint32_t i = 0; i < ranks.size(); ++i) EXPECT_EQ(ranks[i], i + 1);
  EXPECT_THAT(knots, ElementsAre(7, 8));
  EXPECT_NE(report.findings(0).kind(), "knot");
  EXPECT_TRUE(report.findings(report.findings_size() - 1).apart());
}

TEST(JobReport, WithoutLargeIssuesTheVerdictStays) {
  JobBuilder job;
  const PhaseTypeId root = job.Type("Job");
  job.Add(root, kNoId, 0, 100);
  pb::Report before;
  before.set_verdict("B and C hold each other up.");
  *before.add_findings() = Knot(1, 7);
  const pb::Report report = ReportOf(job.Build(), {}, before);
  EXPECT_EQ(report.verdict(), "B and C hold each other up.");
  EXPECT_EQ(report.findings(0).kind(), "knot");
}

// UnevenJob, but in the 40 ns of a scenario: the time of its thread 1 is half of the long phase.
pb::Report ReportBeside(const std::string& scenario, const pb::Finding& found) {
  const TemporaryDirectory directory;
  WriteScenario(ReadScenario(GORDIAN_SCENARIOS "/" + scenario), directory / "session", 1000);
  auto session = SessionReader::Open(directory / "session");
  const auto timeline = LoadTimeline(**session);
  EXPECT_TRUE(timeline.ok()) << timeline.status();

  Job job = UnevenJob();
  for (Phase& phase : job.phases) {
    phase.start_ns = kScenarioStartNs + phase.start_ns / 25'000'000;
    phase.end_ns = kScenarioStartNs + phase.end_ns / 25'000'000;
  }
  job.samples.assign(1, {});
  job.phases[6].tid = 1;
  JobOptions options;
  options.attribution.slice_ns = 1;
  options.issues.replay.tolerance_ns = 0;
  const auto analysis = AnalyzeJob(job, {}, options);
  EXPECT_TRUE(analysis.ok()) << analysis.status();

  pb::Report report;
  std::vector<uint32_t> vertex_of_entity;
  for (const Entity& entity : timeline->entities()) {
    vertex_of_entity.push_back(static_cast<uint32_t>(report.vertices_size()));
    pb::ReportVertex& vertex = *report.add_vertices();
    vertex.set_id(vertex_of_entity.back());
    vertex.set_name(entity.name);
  }
  *report.add_findings() = found;
  AddJob(*analysis, {.timeline = &*timeline, .vertex_of_entity = vertex_of_entity}, report);
  return report;
}

TEST(JobReport, APhasesFindingNamesTheKnotItsThreadWaitedFor) {
  const pb::Report report = ReportBeside("figure3.txt", Knot(1, 1));  // B
  const pb::Finding& first = report.findings(0);
  ASSERT_NE(first.kind(), "knot");
  EXPECT_THAT(first.why(), Contains(HasSubstr("waiting for B")));
  ASSERT_EQ(first.explained_by_size(), 1);
  EXPECT_EQ(report.findings(static_cast<int>(first.explained_by(0)) - 1).kind(), "knot");
}

TEST(JobReport, APhasesFindingSaysWhoHadTheCpusWhileItsThreadWasReady) {
  pb::Finding starvation;
  starvation.set_rank(1);
  starvation.set_kind("starvation");
  starvation.set_title("S gets no CPU.");
  pb::CpuUser& user = *starvation.add_cpu_users();
  user.set_name("hog");
  user.set_share(0.75);
  const pb::Report report = ReportBeside("starved.txt", starvation);
  const pb::Finding& first = report.findings(0);
  ASSERT_NE(first.kind(), "starvation");
  ASSERT_EQ(first.explained_by_size(), 1);
  EXPECT_EQ(report.findings(static_cast<int>(first.explained_by(0)) - 1).kind(), "starvation");
  EXPECT_THAT(first.why(),
              Contains(AllOf(HasSubstr("S gets no CPU."), HasSubstr("the CPUs ran hog 75 %"))));
}

TEST(JobReport, KindsOfOneNameAreToldApart) {
  JobBuilder job;
  job.Type("Job");
  for (const PhaseTypeId step : {job.Type("Gather", 0), job.Type("Scatter", 0, {}, {1})})
    job.Type("Worker", step, PhaseRepeat::kConcurrent);
  job.Add(0, kNoId, 0, 1000);
  job.Add(1, 0, 0, 1000);
  job.Add(3, 1, 0, 200, "0");
  job.Add(3, 1, 0, 1000, "1");
  const pb::Report report = ReportOf(job.Build());
  ASSERT_GT(report.findings_size(), 0);
  EXPECT_THAT(report.findings(0).title(), HasSubstr("Gather/Worker"));
}

// Load, then nothing for 700 ms, in which the CPUs hardly work, then Execute.
TEST(JobReport, NamesTimeInWhichNoPhaseRuns) {
  JobBuilder job;
  job.Type("Job");
  job.Type("Load", 0);
  job.Type("Execute", 0, PhaseRepeat::kOnce, {1});
  const ResourceId cpu = job.Consumable("cpu", 2);
  job.Add(0, kNoId, 0, 1000);
  job.Add(1, 0, 0, 100);
  job.Add(2, 0, 800, 1000);
  job.Sample(cpu, 0, 100, 1);
  job.Sample(cpu, 100, 800, 0.02);
  job.Sample(cpu, 800, 1000, 1);
  const pb::Report report = ReportOf(job.Build());
  ASSERT_GT(report.findings_size(), 0);
  const pb::Finding& first = report.findings(0);
  EXPECT_EQ(first.kind(), "gap");
  EXPECT_EQ(first.title(),
            "70 % of the job's time goes by before /Job/Execute begins, and no known phase runs "
            "meanwhile.");
  ASSERT_GT(first.why_size(), 0);
  EXPECT_EQ(first.why(0),
            "It is 700 ms before /Job/Execute (from 100 ms on). Meanwhile resources were used: cpu "
            "1 %. So hardly anything worked: the job waited for something.");
}

TEST(JobReport, SeriesAddUpToTheUse) {
  const auto analysis = AnalyzeJob(UnevenJob(), {}, {});
  ASSERT_TRUE(analysis.ok());
  for (const size_t bins : {1000, 7, 1}) {
    pb::Report report;
    AddSeries(*analysis, {.bins = bins}, report);
    ASSERT_EQ(report.series_size(), 1);
    const pb::ResourceSeries& series = report.series(0);
    EXPECT_LE(static_cast<size_t>(series.use_size()), bins);
    EXPECT_EQ(series.capacity(), 2);
    double use = 0;
    double of_types = 0;
    for (const float value : series.use()) use += value * series.bin_s();
    for (const pb::TypeSeries& type : series.types())
      for (const float value : type.use()) of_types += value * series.bin_s();
    EXPECT_NEAR(use, 1.2, 1e-5);
    EXPECT_NEAR(of_types, 1.2, 1e-5);
  }
}

// Load wants one of two cores, then Execute what it can get, with weight 3.
Job DemandingJob() {
  JobBuilder job;
  job.Type("Job");
  job.Type("Load", 0);
  job.Type("Execute", 0, PhaseRepeat::kOnce, {1});
  const ResourceId cpu = job.Consumable("cpu", 2);
  job.Rule(1, cpu, RuleKind::kExact, 0.5);
  job.Rule(2, cpu, RuleKind::kVariable, 3);
  job.Add(0, kNoId, 0, 100);
  job.Add(1, 0, 0, 40);
  job.Add(2, 0, 60, 100);
  job.Sample(cpu, 0, 40, 0.75);
  job.Sample(cpu, 60, 100, 1.5);
  return job.Build();
}

TEST(JobReport, SeriesTellBothDemandsOfEachType) {
  const auto analysis = AnalyzeJob(DemandingJob(), {}, {});
  ASSERT_TRUE(analysis.ok());
  pb::Report report;
  AddSeries(*analysis, {.bins = 5}, report);  // of 20 ms
  ASSERT_EQ(report.series_size(), 1);
  const pb::ResourceSeries& series = report.series(0);
  EXPECT_THAT(series.demand(), ElementsAre(1, 1, 0, 0, 0));
  EXPECT_THAT(series.variable_demand(), ElementsAre(0, 0, 0, 3, 3));
  ASSERT_EQ(series.types_size(), 2);
  EXPECT_EQ(series.types(0).type(), 2u);
  EXPECT_EQ(series.types(0).first_bin(), 3u);
  EXPECT_THAT(series.types(0).use(), ElementsAre(1.5, 1.5));
  EXPECT_THAT(series.types(0).variable_demand(), ElementsAre(3, 3));
  EXPECT_EQ(series.types(0).demand_size(), 0);
  EXPECT_EQ(series.types(1).first_bin(), 0u);
  EXPECT_THAT(series.types(1).use(), ElementsAre(0.75, 0.75));
  EXPECT_THAT(series.types(1).demand(), ElementsAre(1, 1));
}

TEST(JobReport, ManyTypesGetFewerBins) {
  const auto analysis = AnalyzeJob(DemandingJob(), {}, {});
  ASSERT_TRUE(analysis.ok());
  pb::Report report;
  AddSeries(*analysis, {.bins = 1000, .numbers = 14}, report);  // 7 in each bin
  EXPECT_EQ(report.series(0).use_size(), 2);
}

// Two workers are blocked one after the other with 30 ms between them, and then together.
Job BlockedJob() {
  JobBuilder job;
  job.Type("Job");
  job.Type("Worker", 0, PhaseRepeat::kConcurrent);
  const ResourceId gc = job.Blocking("gc");
  const PhaseId whole = job.Add(0, kNoId, 0, 1000);
  const PhaseId first = job.Add(1, whole, 0, 1000, "0");
  const PhaseId second = job.Add(1, whole, 0, 1000, "1");
  job.Block(first, gc, 100, 200);
  job.Block(second, gc, 230, 300);
  job.Block(first, gc, 600, 700);
  job.Block(second, gc, 650, 800);
  return job.Build();
}

TEST(JobReport, TellsWhenPhasesWereHeld) {
  const auto analysis = AnalyzeJob(BlockedJob(), {}, {});
  ASSERT_TRUE(analysis.ok());
  pb::Report report;
  AddHeldIntervals(*analysis, 100, report);
  ASSERT_EQ(report.bottleneck_intervals_size(), 7);  // four of the phases, three of their type
  std::vector<std::string> of_type;
  for (const pb::BottleneckInterval& row : report.bottleneck_intervals()) {
    EXPECT_EQ(row.kind(), "blocked");
    EXPECT_EQ(row.type(), 1u);
    if (row.has_phase()) continue;
    of_type.push_back(
        absl::StrCat(row.start_s(), " ", row.end_s(), " ", row.held_s(), " ", row.phases()));
  }
  EXPECT_THAT(of_type, ElementsAre("0.1 0.2 0.1 1", "0.23 0.3 0.07 1", "0.6 0.8 0.25 2"));
}

TEST(JobReport, TooManyIntervalsAreJoinedAndKeepTheirHeldTime) {
  const auto analysis = AnalyzeJob(BlockedJob(), {}, {});
  ASSERT_TRUE(analysis.ok());
  pb::Report report;
  AddHeldIntervals(*analysis, 6, report);
  ASSERT_EQ(report.bottleneck_intervals_size(), 6);
  double held_s = 0;
  for (const pb::BottleneckInterval& row : report.bottleneck_intervals())
    if (!row.has_phase()) held_s += row.held_s();
  EXPECT_NEAR(held_s, 0.42, 1e-9);
  pb::Report fewest;
  AddHeldIntervals(*analysis, 0, fewest);
  EXPECT_EQ(fewest.bottleneck_intervals_size(), 3);  // ends, with one for each
}

TEST(JobReport, OfAnEmptyJobIsEmpty) {
  const auto analysis = AnalyzeJob({}, {}, {});
  ASSERT_TRUE(analysis.ok()) << analysis.status();
  pb::Report report;
  AddJob(*analysis, {}, report);
  EXPECT_EQ(report.phases_size(), 0);
}

// A long one that leaves the CPU to the other for its second half, and a short one beside.
Job TwoJobs() {
  JobBuilder job;
  const PhaseTypeId root = job.Type("jobs");
  const PhaseTypeId batch = job.Type("batch", root);
  const PhaseTypeId web = job.Type("web", root);
  const ResourceId cpu = job.Consumable("cpu", 2);
  job.Rule(root, cpu, RuleKind::kNone);
  job.Rule(batch, cpu, RuleKind::kVariable, 3);
  job.Rule(web, cpu, RuleKind::kVariable, 1);
  const PhaseId all = job.Add(root, kNoId, 0, 1000);
  const PhaseId long_one = job.Add(batch, all, 0, 1000);
  const PhaseId short_one = job.Add(web, all, 500, 900);
  job.Sample(cpu, 0, 1000, 2);
  Job built = job.Build();
  built.jobs = {long_one, short_one};
  return built;
}

TEST(JobReport, OfSeveralJobsItTellsWhichGainsAndWhoUsedTheResource) {
  const pb::Report report = ReportOf(TwoJobs());
  const pb::Finding* of_web = nullptr;
  for (const pb::Finding& finding : report.findings()) {
    if (finding.title().starts_with("web is limited by cpu")) of_web = &finding;
  }
  ASSERT_NE(of_web, nullptr) << report.DebugString();
  EXPECT_THAT(of_web->title(), HasSubstr("with more of it web would take up to"));
  EXPECT_THAT(of_web->why(), Contains("Of what was used meanwhile: batch 75 %, web 25 %."));
}

TEST(JobReport, NoJobOfSeveralBeganLateForWantOfAPhase) {
  const pb::Report report = ReportOf(TwoJobs());
  for (const pb::Finding& finding : report.findings())
    EXPECT_NE(finding.kind(), "gap") << finding.title();
}

}  // namespace
}  // namespace gordian
