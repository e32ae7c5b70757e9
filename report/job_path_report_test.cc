// SPDX-License-Identifier: Apache-2.0
// The sentences on a job's path, and the message that holds it.
#include "report/job_path_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/findings/findings.h"
#include "analyzer/graph/wait_for_graph.h"
#include "path/test_jobs.h"
#include "report/job_path_sentences.h"

namespace gordian {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

JobPath BuildPath(PathLoss verdict) {
  JobPath path{.exists = true, .length_ns = 1e9, .cpus = 2, .narrow = 1, .verdict = verdict};
  path.loss_ns[static_cast<size_t>(verdict)] = 6e8;
  path.loss_programs = {{"cc1", 5e8}, {"as", 5e7}};
  path.cpu_programs = {{"cc1", 1e9}};
  path.others = {{"hog", 3e8}};
  path.shares = {{.program = "cc1", .state = PathState::kRun, .ns = 9e8},
                 {.program = "cc1", .state = PathState::kTimer, .ns = 1e8}};
  path.barrier_parent = "make";
  path.work_ns = 1.5e9;
  path.width = 1.5;
  return path;
}

TEST(JobPathSentences, SayEachLossInATitleWithReasonsAndAdvice) {
  for (size_t i = 0; i < kPathLosses; ++i) {
    const JobPath path = BuildPath(static_cast<PathLoss>(i));
    SCOPED_TRACE(PathLossName(path.verdict));
    EXPECT_THAT(PathTitle(path), ::testing::EndsWith("."));
    EXPECT_FALSE(PathAdvice(path).empty());
    for (const std::string& why : PathWhy(path)) EXPECT_THAT(why, ::testing::EndsWith("."));
    EXPECT_NE(LossInWords(path.verdict), "");
  }
}

TEST(JobPathSentences, SayHowLongAndWho) {
  EXPECT_EQ(PathTitle(BuildPath(PathLoss::kSerial)),
            "cc1 runs alone for 60 % of the job's time, and the job leaves the other CPUs unused.");
  EXPECT_EQ(PathTitle(BuildPath(PathLoss::kFull)),
            "The machine is full: the job uses all of its CPUs for 60 % of the job's time, mostly "
            "for cc1.");
  EXPECT_EQ(PathTitle(BuildPath(PathLoss::kIdle)),
            "cc1 waits for timers for 60 % of the job's time, and nothing else of the job works.");
  EXPECT_THAT(PathTitle(BuildPath(PathLoss::kStarved)), HasSubstr("mostly hog"));
}

TEST(JobPathSentences, AdviseToStartAProgramLessOftenIfEachOfManyIsShort) {
  JobPath path = BuildPath(PathLoss::kSerial);
  const auto advice = [&](double longest_ns) {
    path.longest_on_path = {{.program = "make", .path_ns = 9e7},
                            {.program = "cc1", .path_ns = longest_ns}};
    return PathAdvice(path).front();
  };
  EXPECT_THAT(advice(1e7), HasSubstr("Start cc1 less often"));
  EXPECT_THAT(advice(6e7), Not(HasSubstr("less often"))) << "each does more than begin";
  path.loss_programs[0].ns = 5e7;
  EXPECT_THAT(advice(1e7), Not(HasSubstr("less often"))) << "there are few";
}

TEST(JobPathSentences, NameWhoAsksAProgramOutside) {
  JobPath path = BuildPath(PathLoss::kOutside);
  path.loss_programs = {{"sshd", 6e8}};
  EXPECT_EQ(PathTitle(path), "The job waits for sshd, outside of it, for 60 % of the job's time.");
  path.askers = {{"ssh", 6e8}};
  EXPECT_EQ(PathTitle(path),
            "The job's ssh waits for sshd, outside of it, for 60 % of the job's time.");
}

TEST(JobPathSentences, NameTwoProgramsThatBothHaveAGoodPart) {
  JobPath path = BuildPath(PathLoss::kTurns);
  path.loss_programs = {{"tr", 4e8}, {"sort", 2e8}};
  EXPECT_THAT(PathTitle(path), HasSubstr("tr and sort take turns"));
}

TEST(JobPathSentences, OfAServerTellHowManyProcessesItStarts) {
  JobPath path = BuildPath(PathLoss::kFull);
  path.to_ns = 2'000'000'000;
  path.is_server = true;
  path.server = "db";
  path.served_processes = 600;
  path.served_share = 0.9;
  path.served_busy_ns = 1.5e6;
  EXPECT_EQ(PathTitle(path),
            "The machine is full: db starts 300 processes a second for its clients, which do 90 % "
            "of its work.");
  EXPECT_THAT(PathAdvice(path)[0], HasSubstr("Let processes stay"));
  EXPECT_THAT(PathWhy(path)[0], HasSubstr("needs 1.5 ms"));
  path.verdict = PathLoss::kBarrier;
  EXPECT_THAT(PathWhy(path), Each(Not(HasSubstr("The others are done"))));
  EXPECT_THAT(PathWhy(path), Each(Not(HasSubstr("the job"))));
  path.verdict = PathLoss::kStarved;
  EXPECT_THAT(PathTitle(path), HasSubstr("other programs have the CPUs that it needs, mostly hog"));
}

TEST(JobPathSentences, OfAJobOfBriefProcessesTellHowManyItStarts) {
  JobPath path = BuildPath(PathLoss::kIdle);
  path.is_of_starts = true;
  path.brief = {.processes = 600, .share = 0.8, .busy_ns = 0.7e6, .parent = "sh", .program = "tr"};
  EXPECT_EQ(PathTitle(path),
            "Starting processes is the limit: sh starts 600 processes a second, mostly tr, which "
            "do 80 % of its work.");
  EXPECT_THAT(PathWhy(path)[0], HasSubstr("Each of them needs 700 µs"));
  EXPECT_THAT(PathAdvice(path), ElementsAre(HasSubstr("do their work in sh itself")));
}

TEST(JobPathSentences, OfBriefProcessesThatTakeTurnsTellBoth) {
  JobPath path = BuildPath(PathLoss::kTurns);
  path.is_of_starts = true;
  path.brief = {.processes = 600, .share = 0.8, .busy_ns = 0.7e6, .parent = "sh", .program = "tr"};
  EXPECT_THAT(PathTitle(path), HasSubstr("takes turns"));
  EXPECT_THAT(PathWhy(path)[0], HasSubstr("600 processes a second are started, and each"));
  EXPECT_THAT(PathAdvice(path),
              ElementsAre(HasSubstr("do their work in sh itself"), HasSubstr("Let them overlap")));
  path.verdict = PathLoss::kStarved;
  EXPECT_THAT(PathAdvice(path).front(), HasSubstr("Move hog elsewhere"));
  EXPECT_THAT(PathAdvice(path).back(), HasSubstr("do their work in sh itself"));
}

TEST(JobPathSentences, AdviseToStartAStragglerFirstOnlyIfNothingFollows) {
  JobPath path = BuildPath(PathLoss::kBarrier);
  EXPECT_THAT(PathAdvice(path)[0], HasSubstr("first"));
  path.runs_go_on = true;
  EXPECT_THAT(PathAdvice(path)[0], HasSubstr("one graph"));
  EXPECT_THAT(PathTitle(path), HasSubstr("the next ones wait for its end"));
}

// make starts `count` compilers one after the other; then its own work takes so long.
pb::Report ReportOf(int count, uint64_t own_ns) {
  constexpr int kMake = 10;
  JobTrace job;
  job.Alive(1, "bash").Fork(0, 1, kMake).Exec(0, kMake, "make");
  uint64_t at_ns = 0;
  for (int i = 0; i < count; ++i, at_ns += 110) {
    job.Run(0, kMake, at_ns, at_ns + 10);
    job.Command(0, kMake, 20 + i, "cc1", at_ns + 10, at_ns + 110);
  }
  job.Run(0, kMake, at_ns, at_ns + own_ns, 'X').Run(1, 1, 0, 1).End(at_ns + own_ns + 10);
  const ScenarioTimeline scenario(job.Text());
  const Timeline& timeline = scenario.timeline();
  const Waits waits(timeline, {});
  const TimeRange range{timeline.start_ns(), timeline.end_ns()};
  WaitForGraph graph =
      BuildWaitForGraph(waits, {.from_ns = range.from_ns, .to_ns = range.to_ns}, {});
  FindingOptions options;
  options.target_pids = {kMake};
  EXPECT_TRUE(MarkNamedTargets(options, graph).ok());
  const auto merged = BuildGraph(graph, {});
  pb::Report report = Judge(graph, *merged, options);
  AddJobPath(waits, graph, *merged, range, report);
  return report;
}

TEST(JobPathReport, StandsFirstWhereShortLivedCommandsWorkMost) {
  const pb::Report report = ReportOf(5, 10);
  ASSERT_GT(report.findings_size(), 0);
  EXPECT_EQ(report.findings(0).kind(), "path");
  EXPECT_EQ(report.findings(0).rank(), 1u);
  EXPECT_EQ(report.verdict(), report.findings(0).title());
  EXPECT_THAT(report.verdict(), HasSubstr("cc1"));
  EXPECT_FALSE(report.findings(0).members().empty());
  EXPECT_TRUE(report.path().is_job());
  EXPECT_EQ(report.path().root(), "make");
  EXPECT_EQ(report.path().verdict(), "serial");
  EXPECT_EQ(report.path().longest(0).program(), "cc1");
}

TEST(JobPathReport, IsASectionWhereTheyWorkLess) {
  const pb::Report report = ReportOf(5, 2000);
  EXPECT_TRUE(report.has_path());
  EXPECT_FALSE(report.path().is_job());
  for (const pb::Finding& finding : report.findings()) EXPECT_NE(finding.kind(), "path");
}

TEST(JobPathReport, IsNoneWhereTheyHardlyWork) { EXPECT_FALSE(ReportOf(1, 5000).has_path()); }

TEST(PartsOfAJob, AreAskedAboutAsItsTimeIsTold) {
  pb::Report report;
  pb::Finding& sort = *report.add_findings();
  sort.set_kind("sink");
  sort.add_members(3);
  sort.set_no_natural_fix_because("it was there for only part of the recording");
  AskAboutPartsOfTheJob(report);
  EXPECT_TRUE(sort.natural_fixes().empty()) << "a service has a rate alone";
  report.mutable_path()->set_whole(true);
  AskAboutPartsOfTheJob(report);
  ASSERT_EQ(sort.natural_fixes_size(), 1);
  EXPECT_EQ(sort.natural_fixes(0).change(), "run");
  EXPECT_EQ(sort.natural_fixes(0).who(), 3u);
  EXPECT_EQ(sort.natural_fixes(0).amount(), 0.5);
  EXPECT_TRUE(sort.no_natural_fix_because().empty());
}

}  // namespace
}  // namespace gordian
