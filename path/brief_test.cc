// SPDX-License-Identifier: Apache-2.0
// Jobs whose work is mostly that of processes that are hardly more than their beginning and end.
#include "path/brief.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "path/test_jobs.h"

namespace gordian {
namespace {

struct Child {
  std::string program;
  uint64_t runs_ns = 0;
};

// sh starts these ten times, one after the other.
ScenarioTimeline Rounds(const std::vector<Child>& children) {
  JobTrace job;
  job.Alive(1, "sh").Run(0, 1, 0, 10);
  uint64_t at_ns = 10;
  int tid = 20;
  for (int round = 0; round < 10; ++round) {
    for (const Child& child : children) {
      job.Command(0, 1, tid++, child.program, at_ns, at_ns + child.runs_ns);
      job.Run(0, 1, at_ns + child.runs_ns, at_ns + child.runs_ns + 10);
      at_ns += child.runs_ns + 10;
    }
  }
  return ScenarioTimeline(job.End(at_ns + 10).Text());
}

TEST(BriefProcesses, AreWhatAJobIsOfIfTheyDoMostOfItsWork) {
  const ScenarioTimeline scenario = Rounds({{"true", 400'000}});
  const JobPath path = PathOf(scenario, "sh");
  EXPECT_TRUE(path.is_of_starts);
  EXPECT_EQ(path.brief.processes, 10u);
  EXPECT_EQ(path.brief.busy_ns, 400'000);
  EXPECT_NEAR(path.brief.share, 1, 0.001);
  EXPECT_EQ(path.brief.parent, "sh");
  EXPECT_EQ(path.brief.program, "true");
  EXPECT_EQ(path.brief.starter, scenario.Id("sh"));
}

TEST(BriefProcesses, AreNotWhatAJobIsOfIfOthersHaveWorkToDo) {
  const JobPath path = PathOf(Rounds({{"true", 400'000}, {"cc", 50'000'000}}), "sh");
  EXPECT_FALSE(path.is_of_starts);
  EXPECT_EQ(path.brief.processes, 10u) << "of true";
}

// A shell starts a subshell, which starts the command: the row is the shell's.
TEST(BriefProcesses, ThatOthersOfThemStartAreOfWhoStartsTheFirst) {
  JobTrace job;
  job.Alive(1, "sh").Run(0, 1, 0, 10);
  for (int i = 0; i < 4; ++i) {
    const auto at_ns = 10 + static_cast<uint64_t>(i) * 100;
    job.Fork(at_ns, 1, 20 + i, "sub").Run(1, 20 + i, at_ns, at_ns + 10);
    job.Command(0, 20 + i, 40 + i, "tr", at_ns + 10, at_ns + 80);
    job.Run(1, 20 + i, at_ns + 80, at_ns + 90, 'X');
  }
  const ScenarioTimeline scenario(job.End(500).Text());
  const JobPath path = PathOf(scenario, "sh");
  EXPECT_EQ(path.brief.processes, 8u);
  EXPECT_EQ(path.brief.program, "tr");
  EXPECT_EQ(path.brief.starter, scenario.Id("sh"));
  EXPECT_EQ(scenario.timeline().entities()[path.brief.started].name, "sub");
}

}  // namespace
}  // namespace gordian
