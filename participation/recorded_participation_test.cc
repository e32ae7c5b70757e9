// SPDX-License-Identifier: Apache-2.0
#include "participation/recorded_participation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/testing/scenario_timeline.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A scenario, told as "A Processing 25%" and "B>A wake 0.5".
class ToldParticipation {
 public:
  // `targets`: names, apart from each other by spaces; empty: all.
  explicit ToldParticipation(const std::string& scenario, const std::string& targets = "")
      : recorded_(scenario), is_target_(recorded_.timeline().thread_count()) {
    for (EntityId thread = 0; thread < is_target_.size(); ++thread)
      is_target_[thread] =
          targets.empty() ||
          absl::StrCat(" ", targets, " ").find(absl::StrCat(" ", Name(thread), " ")) !=
              std::string::npos;
  }

  WindowParticipation In(uint64_t from_ns, uint64_t to_ns,
                         const std::vector<ThreadPhase>& phases = {},
                         const std::vector<RecordedActivity>& activities = {}) const {
    return ParticipationWithin({.timeline = recorded_.timeline(),
                                .is_target = is_target_,
                                .phases = phases,
                                .activity_of_phase = activities},
                               ScenarioTimeline::At(from_ns), ScenarioTimeline::At(to_ns));
  }
  std::vector<std::string> Stays(uint64_t from_ns, uint64_t to_ns) const {
    std::vector<std::string> told;
    for (const StayParticipation& stay : In(from_ns, to_ns).stays)
      told.push_back(absl::StrCat(Name(stay.thread), " ", std::string(NameOf(stay.activity)), " ",
                                  std::round(1000 * stay.cp) / 10, "%"));
    return told;
  }
  std::vector<std::string> Hops(uint64_t from_ns, uint64_t to_ns) const {
    constexpr const char* kKinds[] = {"wake", "birth", "passed on", "message"};
    std::vector<std::string> told;
    for (const HopParticipation& hop : In(from_ns, to_ns).hops)
      told.push_back(absl::StrCat(Name(hop.from), ">", Name(hop.to), " ",
                                  kKinds[static_cast<int>(hop.kind)], " ", hop.crossings));
    return told;
  }
  EntityId Id(const std::string& name) const { return recorded_.Id(name); }

 private:
  std::string Name(EntityId id) const { return recorded_.timeline().entities()[id].name; }

  ScenarioTimeline recorded_;
  std::vector<uint8_t> is_target_;
};

// A waits from 10 to 30 for B, which waits from 10 to 20 for C.
constexpr char kWaitsInARow[] = R"(
end 40
thread 1 A R
thread 2 B R
thread 3 C R
0 0 switch 0 1
0 1 switch 0 2
0 2 switch 0 3
10 0 switch 1 0 S
10 1 switch 2 0 S
20 2 wake 2 by 3
20 1 switch 0 2
30 1 wake 1 by 2
30 0 switch 0 1
)";

TEST(RecordedParticipationOf, OneEndLeadsOverAllThatItWaitedFor) {
  const ToldParticipation told(kWaitsInARow, "A");
  EXPECT_THAT(told.Stays(0, 40),
              ElementsAre("A Processing 25%", "B Processing 25%", "C Processing 50%"));
  EXPECT_THAT(told.Hops(0, 40), ElementsAre("B>A wake 1", "C>B wake 1"));
}

TEST(RecordedParticipationOf, SeveralEndsIsTheirMean) {
  const ToldParticipation told(kWaitsInARow);
  EXPECT_EQ(told.In(0, 40).paths, 3u);
  // All three are on C until 20, A's and B's on B until 30.
  EXPECT_THAT(told.Stays(0, 40),
              ElementsAre("A Processing 8.3%", "B Processing 25%", "C Processing 66.7%"));
}

// At the end A waits for nobody knows what, and B works.
TEST(RecordedParticipationOf, TheOnlyPathEndsInWhoIsAtWork) {
  const ScenarioTimeline recorded(R"(
thread 1 A R
thread 2 B R
0 0 switch 0 1
0 1 switch 0 2
10 0 switch 1 0 S
45 0 switch 0 1
end 50
)");
  const std::vector<uint8_t> all(recorded.timeline().thread_count(), 1);
  const WindowParticipation window = ParticipationWithin(
      {.timeline = recorded.timeline(), .is_target = all, .only_one_path = true},
      ScenarioTimeline::At(0), ScenarioTimeline::At(40));
  ASSERT_EQ(window.path.size(), 1u);
  EXPECT_EQ(window.path[0].thread, recorded.Id("B"));
}

TEST(RecordedParticipationOf, AWaitAtTheWindowsEndIsNoEnd) {
  const ToldParticipation told(kWaitsInARow);
  EXPECT_EQ(told.In(0, 15).paths, 1u);
  EXPECT_THAT(told.Stays(0, 15), ElementsAre("C Processing 100%"));
}

// At 50 it waits for the worker, which the disk woke at 48; until then it was for the disk.
TEST(RecordedParticipationOf, PathsEndWithADiskThatAWorkerPassesOnBehindTheWindow) {
  const ToldParticipation waiting(
      "end 100\ndisk 8 vda\nthread 1 A R\nkernel 6 K S\n0 0 switch 0 1 R\n30 0 switch 1 0 D\n"
      "48 1 wake 6 by disk 8\n55 1 switch 0 6 R\n56 1 wake 1 by 6\n60 0 switch 0 1 R\n",
      "A");
  EXPECT_EQ(waiting.In(0, 50).paths_to_ns, ScenarioTimeline::At(48));
}

TEST(RecordedParticipationOf, ATargetThatWaitsEndsItsPathsWhereItWasOnItsWayLast) {
  const ToldParticipation waiting(kWaitsInARow, "A B");
  EXPECT_EQ(waiting.In(0, 15).paths_to_ns, ScenarioTimeline::At(10));
  EXPECT_THAT(waiting.Stays(0, 15), ElementsAre("A Processing 50%", "B Processing 50%"));
  EXPECT_EQ(waiting.In(11, 15).paths, 0u);
  EXPECT_THAT(waiting.Stays(11, 15), IsEmpty());
}

TEST(RecordedParticipationOf, AWaitThatGoesOnForLongHasNotEnded) {
  const std::string scenario =
      "end 3000000000\nthread 1 A R\nthread 2 B R\n"
      "0 0 switch 0 1\n0 1 switch 0 2\n10 0 switch 1 0 S\n"
      "2000000000 1 wake 1 by 2\n2000000000 0 switch 0 1\n";
  EXPECT_EQ(ToldParticipation(scenario, "A").In(0, 20).doubts.waits_not_ended, 1u);
  EXPECT_EQ(ToldParticipation(scenario, "A").In(0, 1'500'000'000).doubts.waits_not_ended, 0u);
}

TEST(RecordedParticipationOf, SleepersCountOnlyWhereAllSleep) {
  const std::string scenario = R"(
end 100
thread 1 A R
thread 2 B R
0 0 switch 0 1
0 1 switch 0 2
10 0 switch 1 0 S
30 1 switch 2 0 S
90 0 wake 1 by timer
90 0 switch 0 1
95 0 wake 2 by timer
95 1 switch 0 2
)";
  const ToldParticipation told(scenario);
  EXPECT_THAT(told.Stays(0, 20), ElementsAre("B Processing 100%"));
  EXPECT_FALSE(told.In(0, 20).by_sleepers);
  EXPECT_TRUE(told.In(0, 40).by_sleepers);
  EXPECT_THAT(told.Stays(0, 40), ElementsAre("A Processing 12.5%", "A IO: timer 37.5%",
                                             "B Processing 37.5%", "B IO: timer 12.5%"));
}

TEST(RecordedParticipationOf, ThePathOfADiskWaitStaysAndAnUnbornThreadsLeadsToItsCreator) {
  const ToldParticipation told(R"(
end 40
thread 1 A R
disk 8 vda
0 0 switch 0 1
10 0 new 2 T of 1 in 1
10 0 switch 1 2 S
20 0 switch 2 0 D
30 1 wake 2 by disk 8
30 0 switch 0 2
)",
                               "T");
  EXPECT_THAT(told.Stays(0, 40),
              ElementsAre("A Processing 25%", "T Processing 50%", "T IO: disk 25%"));
  EXPECT_THAT(told.Hops(0, 40), ElementsAre("A>T birth 1"));
}

// A waits; a worker of the kernel, idle until the disk woke it, passes that on.
TEST(RecordedParticipationOf, AnIdleWorkersRequestIsItsWaiters) {
  const ToldParticipation told(R"(
end 100
thread 1 A R
kernel 2 kworker R
disk 8 vda
0 0 switch 0 1
0 1 switch 0 2
5 1 switch 2 0 I
10 0 switch 1 0 D
40 1 wake 2 by disk 8
42 1 switch 0 2
45 1 wake 1 by 2
45 0 switch 0 1
46 1 switch 2 0 I
)",
                               "A");
  EXPECT_THAT(told.Stays(0, 100), ElementsAre("A Processing 65%", "A IO: disk 30%",
                                              "kworker Processing 3%", "kworker Scheduling 2%"));
  EXPECT_THAT(told.Hops(0, 100), ElementsAre("A>kworker passed on 1", "kworker>A wake 1"));
}

// The disk wakes one worker, that one another, and that one A: writing back through ext4.
constexpr const char* kTwoWorkersInARow = R"(
end 100
thread 1 A R
kernel 2 completion R
kernel 3 conversion R
disk 8 vda
0 0 switch 0 1
0 1 switch 0 2
2 1 switch 2 3 I
5 1 switch 3 0 I
10 0 switch 1 0 D
40 1 wake 2 by disk 8
40 1 switch 0 2
45 1 wake 3 by 2
46 1 switch 2 3 I
50 1 wake 1 by 3
50 0 switch 0 1
52 1 switch 3 0 I
)";

TEST(RecordedParticipationOf, TwoIdleWorkersInARowWorkForTheWaiterOfTheSecond) {
  const ToldParticipation told(kTwoWorkersInARow, "A");
  EXPECT_THAT(told.Stays(0, 100),
              ElementsAre("A Processing 60%", "A IO: disk 30%", "completion Processing 5%",
                          "conversion Processing 4%", "conversion Scheduling 1%"));
  EXPECT_THAT(told.Hops(0, 100),
              ElementsAre("A>completion passed on 1", "completion>conversion wake 1",
                          "conversion>A wake 1"));
}

// At the end of this window A still waits, for the disk.
TEST(RecordedParticipationOf, AWaitForADiskIsKnownBeforeTwoWorkersPassItOn) {
  const ToldParticipation told(kTwoWorkersInARow, "A");
  EXPECT_THAT(told.Stays(0, 20), ElementsAre("A Processing 50%", "A IO: disk 50%"));
}

// The disk is done before A waits for the worker, which is at work already.
TEST(RecordedParticipationOf, AnIdleWorkersTimeIsTheRequestsIfNobodyWaitedYet) {
  const ToldParticipation told(R"(
end 100
thread 1 A R
kernel 2 kworker R
disk 8 vda
0 0 switch 0 1
0 1 switch 0 2
5 1 switch 2 0 I
10 0 issue 1 8 4096 0
40 1 complete 8 0 30
40 1 wake 2 by disk 8
45 1 switch 0 2
50 0 switch 1 0 D
60 1 wake 1 by 2
60 0 switch 0 1
61 1 switch 2 0 I
)",
                               "A");
  EXPECT_THAT(told.Stays(0, 100), ElementsAre("A Processing 50%", "A IO: disk 30%",
                                              "kworker Processing 15%", "kworker Scheduling 5%"));
  EXPECT_THAT(told.Hops(0, 100), ElementsAre("A>kworker passed on 1", "kworker>A wake 1"));
  // Asked for before the window: its time is A's all the same.
  EXPECT_THAT(told.Stays(20, 100),
              ElementsAre("A Processing 50%", "A IO: disk 25%", "kworker Processing 18.8%",
                          "kworker Scheduling 6.3%"));
}

TEST(RecordedParticipationOf, AWakeByASleeperIsNoCauseAndIsCounted) {
  const ToldParticipation told(R"(
end 40
thread 1 A R
thread 2 B R
0 0 switch 0 1
0 1 switch 0 2
5 1 switch 2 0 S
10 0 switch 1 0 S
30 1 wake 1 by 2
30 0 switch 0 1
35 0 wake 2 by 1
)",
                               "A");
  EXPECT_THAT(told.Stays(0, 40), ElementsAre("A Processing 50%", "A Unknown 50%"));
  EXPECT_EQ(told.In(0, 40).doubts.wakes_by_sleepers, 1u);
}

TEST(RecordedParticipationOf, PhasesCutStretchesAndTellWhatRunsDo) {
  const ToldParticipation told(kWaitsInARow, "A");
  const std::vector<RecordedActivity> activities = {RecordedActivity::kProcessing,
                                                    RecordedActivity::kBarrier};
  const WindowParticipation window = told.In(
      0, 40, {{told.Id("C"), ScenarioTimeline::At(5), ScenarioTimeline::At(15), 1}}, activities);
  double in_barrier = 0;
  double by_c = 0;
  for (const StayParticipation& stay : window.stays) {
    if (stay.thread == told.Id("C")) by_c += stay.cp;
    if (stay.activity == RecordedActivity::kBarrier) in_barrier += stay.cp;
  }
  EXPECT_DOUBLE_EQ(in_barrier, 0.25);
  EXPECT_DOUBLE_EQ(by_c, 0.5);
}

TEST(ActivityOfPhase, IsToldByTheNamesFirstWord) {
  EXPECT_EQ(ActivityOfPhase("barrier"), RecordedActivity::kBarrier);
  EXPECT_EQ(ActivityOfPhase("barrier/superstep"), RecordedActivity::kBarrier);
  EXPECT_EQ(ActivityOfPhase("barriers"), RecordedActivity::kProcessing);
  EXPECT_EQ(ActivityOfPhase("deserialize-3"), RecordedActivity::kSerialization);
  EXPECT_EQ(ActivityOfPhase("buffer"), RecordedActivity::kBuffer);
  EXPECT_EQ(ActivityOfPhase("map"), RecordedActivity::kProcessing);
}

TEST(WindowsOf, CoverTheRangeAndTheLastMayBeShorter) {
  std::vector<uint64_t> ends;
  for (const ParticipationWindowTimes& window : WindowsOf(10, 35, 10)) ends.push_back(window.to_ns);
  EXPECT_THAT(ends, ElementsAre(20, 30, 35));
  EXPECT_EQ(WindowsOf(10, 35, 0).size(), 1u);
  EXPECT_THAT(WindowsOf(10, 10, 5), IsEmpty());
}

}  // namespace
}  // namespace gordian
