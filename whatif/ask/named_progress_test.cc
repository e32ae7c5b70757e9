// SPDX-License-Identifier: Apache-2.0
#include "whatif/ask/named_progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/testing/scenario_timeline.h"
#include "whatif/ask/job.h"

namespace gordian {
namespace {

using ::testing::HasSubstr;

// A target that asks a stranger, which the first finding is about.
class ProgressOfATarget : public ::testing::Test {
 protected:
  ProgressOfATarget() {
    for (const char* name : {"pool", "store"}) {
      pb::ReportVertex& vertex = *report_.add_vertices();
      vertex.set_id(static_cast<uint32_t>(report_.vertices_size() - 1));
      vertex.set_name(name);
      vertex.set_kind("thread");
      vertex.set_target(vertex.id() == 0);
    }
    report_.add_findings()->add_members(1);
  }
  NamedProgress Progress() const {
    const auto progress = DefaultProgress({.timeline = timeline_,
                                           .report = report_,
                                           .vertex_of_entity = {},
                                           .stacks = stacks_,
                                           .code = code_,
                                           .answers = &answers_});
    EXPECT_TRUE(progress.ok()) << progress.status();
    return *progress;
  }

  Timeline timeline_;
  pb::Report report_;
  StackSums stacks_;
  Code code_;
  TargetAnswers answers_ = {.marks = {{.thread = 0, .time_ns = 7}}, .what = "answers of port 80"};
};

TEST_F(ProgressOfATarget, IsItsAnswersWhereTheFindingIsAboutStrangers) {
  const NamedProgress progress = Progress();
  EXPECT_EQ(progress.what, "answers of port 80");
  ASSERT_EQ(progress.marks.size(), 1u);
  EXPECT_EQ(progress.marks[0].time_ns, 7u);
}

TEST_F(ProgressOfATarget, IsTheFindingsOwnCyclesWhereItIsAboutTheTargetAndAnswersAreFew) {
  report_.mutable_findings(0)->add_members(0);
  EXPECT_THAT(Progress().what, HasSubstr("cycles of "));
}

// Who holds others up goes on as ever when they gain.
TEST_F(ProgressOfATarget, IsItsAnswersWhateverTheFindingIsAbout) {
  report_.mutable_findings(0)->add_members(0);
  answers_.marks.resize(100, {.thread = 0, .time_ns = 7});
  EXPECT_EQ(Progress().what, "answers of port 80");
}

TEST_F(ProgressOfATarget, IsCyclesWhereNoAnswersAreKnown) {
  answers_.marks.clear();
  EXPECT_THAT(Progress().what, HasSubstr("cycles of "));
}

// A thread that sleeps under a lock goes round by the clock, whatever the others gain.
TEST_F(ProgressOfATarget, IsAlsoThatOfWhoWaitsForASleeper) {
  answers_.marks.clear();
  report_.mutable_vertices(1)->set_target(true);
  pb::ReportEdge& edge = *report_.add_edges();
  edge.set_from(0);
  edge.set_to(1);
  edge.set_own_s(5);
  EXPECT_EQ(Progress().what, "cycles of store");
  report_.mutable_findings(0)->set_kind("sleep");
  EXPECT_EQ(Progress().what, "cycles of store, pool");
}

// All of it ended within the recording, and its first thread slept for that long, or again and
// again.
bool IsJobOfOneThatSleeps(const std::string& scenario) {
  const ScenarioTimeline recorded(scenario);
  pb::Report report;
  pb::JobPath& path = *report.mutable_path();
  path.set_whole(true);
  path.set_seconds(1e-6);
  pb::PathStretch& stretch = *path.add_stretches();
  stretch.set_pid(1);
  stretch.set_state("timer");
  StackSums stacks;
  Code code;
  return IsJob({.timeline = recorded.timeline(),
                .report = report,
                .vertex_of_entity = {},
                .stacks = stacks,
                .code = code,
                .answers = nullptr});
}

TEST(ProgressOfAJob, IsNotItsEndIfThatComesByTheClock) {
  const std::string kBegin = "end 1000\nthread 1 main R\n0 0 switch 0 1\n";
  EXPECT_FALSE(IsJobOfOneThatSleeps(
      absl::StrCat(kBegin, "100 0 switch 1 0 S\n900 0 wake 1 by timer\n910 0 switch 0 1\n")));
  EXPECT_TRUE(IsJobOfOneThatSleeps(
      absl::StrCat(kBegin,
                   "100 0 switch 1 0 S\n500 0 wake 1 by timer\n510 0 switch 0 1\n"
                   "520 0 switch 1 0 S\n900 0 wake 1 by timer\n910 0 switch 0 1\n")));
}

// pool asks store again and again. An idle thread of its program waits for it all the time.
std::string LinesOfPoolAndStore() {
  constexpr int kRounds = 200, kRoundNs = 1000;
  std::string lines = absl::StrCat("end ", kRounds * kRoundNs,
                                   "\nthread 1 idle S\nthread 2 pool R\nthread 3 store S\n");
  for (int round = 0; round < kRounds; ++round) {
    const int at = round * kRoundNs;
    absl::StrAppend(&lines, at, " 0 switch 0 2\n", at + 90, " 0 wake 3 by 2\n", at + 100,
                    " 0 switch 2 0 S\n", at + 100, " 1 switch 0 3\n", at + 900, " 1 wake 2 by 3\n",
                    at + 910, " 1 switch 3 0 S\n");
  }
  return lines;
}

TEST(ProgressOfAsker, IsThatOfWhoWaitsForStrangersAndNotOfIdleThreads) {
  const ScenarioTimeline recorded(LinesOfPoolAndStore());
  const std::vector<uint32_t> vertex_of_entity = {0, 1, 2};
  pb::Report report;
  for (const char* name : {"idle", "pool", "store"}) {
    pb::ReportVertex& vertex = *report.add_vertices();
    vertex.set_id(static_cast<uint32_t>(report.vertices_size() - 1));
    vertex.set_name(name);
    vertex.set_kind("thread");
    vertex.set_target(vertex.id() < 2);
  }
  report.add_findings()->add_members(2);
  for (const uint32_t waiter : {0, 1}) {
    pb::ReportEdge& edge = *report.add_edges();
    edge.set_from(waiter);
    edge.set_to(waiter + 1);
    edge.set_own_s(waiter == 0 ? 9 : 5);
  }
  const StackSums stacks;
  const Code code;
  const AnalyzedRecording recording = {.timeline = recorded.timeline(),
                                       .report = report,
                                       .vertex_of_entity = vertex_of_entity,
                                       .stacks = stacks,
                                       .code = code,
                                       .answers = nullptr};
  const auto progress = DefaultProgress(recording);
  ASSERT_TRUE(progress.ok()) << progress.status();
  EXPECT_EQ(progress->what, "cycles of pool");
  EXPECT_GE(progress->marks.size(), 190u);

  // Of those that wait at a lock, who goes round too seldom tells no rate.
  EXPECT_FALSE(CyclesInstead(*progress, std::vector<uint32_t>{1}, recording));
  EXPECT_FALSE(CyclesInstead(*progress, std::vector<uint32_t>{0}, recording));
  const auto instead = CyclesInstead(*progress, std::vector<uint32_t>{2}, recording);
  ASSERT_TRUE(instead.has_value());
  EXPECT_EQ(instead->what, "cycles of store");
  EXPECT_GE(instead->marks.size(), 190u);
}

}  // namespace
}  // namespace gordian
