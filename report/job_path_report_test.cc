// The sentences on a job's path, and the message that holds it.
#include "report/job_path_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/job_path_sentences.h"

namespace gordian {
namespace {

using ::testing::HasSubstr;

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

TEST(JobPathSentences, NameTwoProgramsThatBothHaveAGoodPart) {
  JobPath path = BuildPath(PathLoss::kTurns);
  path.loss_programs = {{"tr", 4e8}, {"sort", 2e8}};
  EXPECT_THAT(PathTitle(path), HasSubstr("tr and sort take turns"));
}

TEST(JobPathSentences, AdviseToStartAStragglerFirstOnlyIfNothingFollows) {
  JobPath path = BuildPath(PathLoss::kBarrier);
  EXPECT_THAT(PathAdvice(path)[0], HasSubstr("first"));
  path.runs_go_on = true;
  EXPECT_THAT(PathAdvice(path)[0], HasSubstr("one graph"));
  EXPECT_THAT(PathTitle(path), HasSubstr("the next ones wait for its end"));
}

}  // namespace
}  // namespace gordian
