// SPDX-License-Identifier: Apache-2.0
#include "loglines/blame_walk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "analyzer/testing/random_scenario.h"
#include "analyzer/testing/scenario_timeline.h"
#include "loglines/told_blame.h"

namespace gordian {
namespace {

constexpr const char* kKindWords[] = {"runs",   "ready", "disk",   "link",
                                      "device", "timer", "unknown"};

std::string NameOf(const Timeline& timeline, EntityId id) {
  return id == kNobody ? "?" : timeline.entities()[id].name;
}

std::string StepsOf(const ScenarioTimeline& recorded, const Blame& blame) {
  std::string steps;
  for (const BlameStep& step : blame.steps)
    absl::StrAppend(&steps, steps.empty() ? "" : " | ",
                    NameOf(recorded.timeline(), step.device == kNobody ? step.thread : step.device),
                    " ", kKindWords[static_cast<size_t>(step.kind)], " ",
                    step.to_ns - step.from_ns);
  return steps;
}

Blame BlameIn(const ScenarioTimeline& recorded, const std::string& thread, uint64_t from_ns,
              uint64_t at_ns) {
  return BlameOf(recorded.timeline(), recorded.Id(thread), ScenarioTimeline::At(from_ns),
                 ScenarioTimeline::At(at_ns));
}

// A waits for B from 10 to 60, and B for the disk from 20 to 50.
constexpr char kWaitsForADisk[] = R"(
end 100
disk 8 vda
thread 1 A R
thread 2 B S
0 0 switch 0 1
10 0 wake 2 by 1
10 0 switch 1 0 S
12 1 switch 0 2
20 1 issue 2 8 4096 5
20 1 switch 2 0 D
50 1 complete 8 5 30
50 1 wake 2 by disk 8
50 1 switch 0 2
60 1 wake 1 by 2
60 1 switch 2 0 S
60 0 switch 0 1
)";

TEST(BlameOf, TimeIsChargedToWhatWasWaitedForInTheEnd) {
  const ScenarioTimeline recorded(kWaitsForADisk);
  const Blame blame = BlameIn(recorded, "A", 5, 70);
  EXPECT_EQ(StepsOf(recorded, blame),
            "A runs 5 | B ready 2 | B runs 8 | vda disk 30 | B runs 10 | A runs 10");
  ASSERT_EQ(blame.waits.size(), 2u);
  EXPECT_EQ(NameOf(recorded.timeline(), blame.waits[0].waited_for), "B");
  EXPECT_EQ(blame.waits[1].parent, 0u);
  EXPECT_EQ(blame.waits[1].to_ns - blame.waits[1].from_ns, 30u);
}

TEST(BlameOf, TheBeginningCutsAWaitShort) {
  const ScenarioTimeline recorded(kWaitsForADisk);
  EXPECT_EQ(StepsOf(recorded, BlameIn(recorded, "A", 30, 65)),
            "vda disk 20 | B runs 10 | A runs 5");
}

TEST(BlameOf, InTheMiddleOfAWaitWhatWillEndItIsWhatItWaitsFor) {
  const ScenarioTimeline recorded(kWaitsForADisk);
  EXPECT_EQ(StepsOf(recorded, BlameIn(recorded, "A", 5, 40)),
            "A runs 5 | B ready 2 | B runs 8 | vda disk 20");
}

TEST(BlameOf, AnswerNamesTheChainOfLargestWaits) {
  const ScenarioTimeline recorded(kWaitsForADisk);
  pb::LogExplanation told;
  const uint64_t from_ns = ScenarioTimeline::At(5), at_ns = ScenarioTimeline::At(70);
  TellBlame(recorded.timeline(), BlameIn(recorded, "A", 5, 70), recorded.Id("A"), from_ns, at_ns,
            told);
  EXPECT_EQ(told.answer(),
            "Before this line, A/1 waited 50 ns for B/2, which waited 30 ns for disk vda. Its "
            "work took 65 ns, from 0.000000 s to 0.000000 s of the recording.");
  uint64_t sum_ns = 0;
  for (const pb::TimeCharge& charge : told.charges()) sum_ns += charge.time_ns();
  EXPECT_EQ(sum_ns, 65u);
}

// B ends A's first wait after 10; the second, which begins like the first, ends by a timer, while B
// waits for the disk.
constexpr char kWaitsInVain[] = R"(
end 200
disk 8 vda
thread 1 A R
thread 2 B S
thread 3 C S
0 0 switch 0 1
10 0 switch 1 0 S
12 2 wake 1 by 3
12 0 switch 0 1
20 0 wake 2 by 1
20 0 switch 1 0 S
20 1 switch 0 2
30 1 wake 1 by 2
30 1 switch 2 0 S
30 0 switch 0 1
40 0 switch 1 0 S
50 2 wake 1 by 3
50 0 switch 0 1
60 0 wake 2 by 1
60 0 switch 1 0 S
60 1 switch 0 2
70 1 issue 2 8 4096 5
70 1 switch 2 0 D
160 0 wake 1 by timer
160 0 switch 0 1
180 1 complete 8 5 110
180 1 wake 2 by disk 8
180 1 switch 0 2
)";

std::string WithC(std::string scenario) {
  // C runs all the time, on a CPU of its own.
  const std::string first = "0 0 switch 0 1\n";
  scenario.replace(scenario.find(first), first.size(), first + "0 2 switch 0 3\n");
  return scenario;
}

TEST(BlameOf, AWaitThatTimeEndedIsForWhoUsuallyEndsIt) {
  const ScenarioTimeline recorded(WithC(kWaitsInVain));
  const Blame blame = BlameIn(recorded, "A", 50, 165);
  EXPECT_EQ(StepsOf(recorded, blame), "A runs 10 | B runs 10 | vda disk 90 | A runs 5");
  ASSERT_FALSE(blame.waits.empty());
  EXPECT_TRUE(blame.waits[0].in_vain);
  EXPECT_EQ(NameOf(recorded.timeline(), blame.waits[0].waited_for), "B");
}

TEST(BlameOf, AnswerTellsWhatTheAwaitedThreadDidItself) {
  const ScenarioTimeline recorded(R"(
end 100
thread 1 A R
thread 2 B S
0 0 switch 0 1
10 0 wake 2 by 1
10 0 switch 1 0 S
50 1 switch 0 2
60 1 wake 1 by 2
60 0 switch 0 1
)");
  pb::LogExplanation told;
  TellBlame(recorded.timeline(), BlameIn(recorded, "A", 5, 70), recorded.Id("A"),
            ScenarioTimeline::At(5), ScenarioTimeline::At(70), told);
  EXPECT_THAT(told.answer(), ::testing::HasSubstr(
                                 "waited 50 ns for B/2, which was ready for 40 ns without a CPU."));
}

// Who waits for the thread itself is nobody that it waits for: C asked it, and sleeps until A
// answers. B was asked by A before.
TEST(BlameOf, AThreadThatWaitsForTheWaiterIsNotAwaited) {
  std::string scenario = WithC(kWaitsInVain);
  const auto replace = [&scenario](const std::string& from, const std::string& to) {
    ASSERT_NE(scenario.find(from), std::string::npos) << from;
    scenario.replace(scenario.find(from), from.size(), to);
  };
  // C, not B, ends A's first wait in that place.
  replace("30 1 wake 1 by 2\n30 1 switch 2 0 S\n30 0", "30 1 switch 2 0 S\n30 2 wake 1 by 3\n30 0");
  replace("50 2 wake 1 by 3\n", "50 2 wake 1 by 3\n50 2 switch 3 0 S\n");
  replace("180 1 complete", "170 0 wake 3 by 1\n170 2 switch 0 3\n180 1 complete");
  const ScenarioTimeline recorded(scenario);
  const Blame blame = BlameIn(recorded, "A", 50, 165);
  ASSERT_FALSE(blame.waits.empty());
  EXPECT_TRUE(blame.waits[0].in_vain);
  EXPECT_EQ(NameOf(recorded.timeline(), blame.waits[0].waited_for), "B");
}

// The same, but its answers come from outside of the recording.
TEST(BlameOf, AWaitForAPeerThatWasNotRecordedIsForItsInterface) {
  const ScenarioTimeline recorded(R"(
end 100
nic 2 eth0
thread 1 A R
0 0 switch 0 1
10 0 switch 1 0 S
20 0 wake 1 by nic 2
20 0 switch 0 1
30 0 switch 1 0 S
40 0 wake 1 by nic 2
40 0 switch 0 1
50 0 switch 1 0 S
90 0 wake 1 by timer
90 0 switch 0 1
)");
  const Blame blame = BlameIn(recorded, "A", 45, 95);
  EXPECT_EQ(StepsOf(recorded, blame), "A runs 5 | eth0 device 40 | A runs 5");
  ASSERT_EQ(blame.waits.size(), 1u);
  EXPECT_TRUE(blame.waits[0].in_vain);
}

TEST(BlameOf, ASleepIsForNobody) {
  const ScenarioTimeline recorded(R"(
end 100
thread 1 A R
0 0 switch 0 1
10 0 switch 1 0 S
40 0 wake 1 by timer
40 0 switch 0 1
50 0 switch 1 0 S
80 0 wake 1 by timer
80 0 switch 0 1
)");
  EXPECT_EQ(StepsOf(recorded, BlameIn(recorded, "A", 45, 90)),
            "A runs 5 | timer timer 30 | A runs 10");
}

TEST(BlameOf, ABirthLeadsToTheCreator) {
  const ScenarioTimeline recorded(R"(
end 100
thread 1 A R
0 0 switch 0 1
20 0 new 3 T of 1 in 1
25 1 switch 0 3
)");
  EXPECT_EQ(StepsOf(recorded, BlameIn(recorded, "T", 10, 40)), "A runs 10 | T ready 5 | T runs 15");
}

TEST(AskerOf, IsTheThreadThatWaitsForIt) {
  const ScenarioTimeline recorded(kWaitsForADisk);
  const Asker asker = AskerOf(recorded.timeline(), recorded.Id("B"), ScenarioTimeline::At(55));
  EXPECT_EQ(asker.thread, recorded.Id("A"));
  EXPECT_EQ(asker.asked_ns, ScenarioTimeline::At(10));
  EXPECT_EQ(AskerOf(recorded.timeline(), recorded.Id("A"), ScenarioTimeline::At(65)).thread,
            kNobody);
}

// Whatever was recorded, the steps follow each other without gaps, and each wait lies within the
// one that it belongs to.
TEST(BlameOf, OfRandomRecordingsAddsUp) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    const ScenarioTimeline recorded(RandomScenario(seed, 40));
    const Timeline& timeline = recorded.timeline();
    for (EntityId thread = 0; thread < timeline.thread_count(); ++thread) {
      const Entity& entity = timeline.entities()[thread];
      if (entity.end_ns <= timeline.start_ns()) continue;
      const Blame blame = BlameOf(timeline, thread, timeline.start_ns(), entity.end_ns);
      uint64_t at_ns = timeline.start_ns();
      for (const BlameStep& step : blame.steps) {
        ASSERT_EQ(step.from_ns, at_ns) << seed;
        ASSERT_LT(step.from_ns, step.to_ns) << seed;
        at_ns = step.to_ns;
      }
      ASSERT_EQ(at_ns, entity.end_ns) << seed;
      for (size_t i = 0; i < blame.waits.size(); ++i) {
        const BlamedWait& wait = blame.waits[i];
        if (wait.parent == kNoBlamedWait) continue;
        ASSERT_LT(wait.parent, i);
        ASSERT_GE(wait.from_ns, blame.waits[wait.parent].from_ns);
        ASSERT_LE(wait.to_ns, blame.waits[wait.parent].to_ns);
      }
    }
  }
}

}  // namespace
}  // namespace gordian
