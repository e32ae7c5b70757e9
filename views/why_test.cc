// SPDX-License-Identifier: Apache-2.0
#include "views/why.h"

#include <gtest/gtest.h>

#include "analyzer/testing/scenario_timeline.h"

namespace gordian {
namespace {

constexpr char kChainOfThree[] =
    "end 100\n"
    "thread 1 A R\n"
    "thread 2 B S\n"
    "thread 3 C S\n"
    "0 0 switch 0 1 R\n"
    "10 0 wake 2 by 1\n"
    "12 1 switch 0 2 R\n"
    "20 0 switch 1 0 S\n"
    "30 1 wake 3 by 2\n"
    "32 2 switch 0 3 R\n"
    "40 1 switch 2 0 S\n"
    "50 2 switch 3 0 S\n";

TEST(WhyAWaitWasLong, IsThePathOverItsTime) {
  const ScenarioTimeline scenario(kChainOfThree);
  const auto why = WhyWait(scenario.timeline(), {}, scenario.Id("C"), 15, 1);
  ASSERT_TRUE(why.ok()) << why.status();
  EXPECT_EQ(why->to_ns, 30u);
  EXPECT_EQ(why->all_ns, 30u) << "the stretches add up to the wait";
  ASSERT_EQ(why->stretches.size(), 3u);
  EXPECT_EQ(why->stretches[0].thread, scenario.Id("A"));
  EXPECT_EQ(why->stretches[0].to_ns, 10u);
  EXPECT_EQ(why->stretches[1].activity, RecordedActivity::kScheduling);
  EXPECT_EQ(why->parts[0].thread, scenario.Id("B"));
  EXPECT_EQ(why->parts[0].ns, 18u);
}

TEST(WhyAWaitWasLong, CanBeASliceAsWell) {
  const ScenarioTimeline scenario(kChainOfThree);
  const ExecutionGraph graph(scenario.timeline());
  const auto back = SliceFrom(graph, {.thread = scenario.Id("C"), .at_ns = 45}, 1, {});
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->from_ns, 0u);
  EXPECT_EQ(back->parts.size(), 3u);
  const auto forward =
      SliceFrom(graph, {.thread = scenario.Id("A"), .at_ns = 0, .forward = true}, 1, {});
  ASSERT_TRUE(forward.ok());
  EXPECT_EQ(forward->parts.size(), 3u);
  EXPECT_FALSE(SliceFrom(graph, {.thread = 0, .at_ns = 1}, 1, [] { return true; }).ok());
}

TEST(WhyARangeWasLong, IsThePathBackFromItsEnd) {
  const ScenarioTimeline scenario(kChainOfThree);
  const auto why = PathWithin(scenario.timeline(), {}, scenario.Id("C"), 5, 45, 1);
  ASSERT_TRUE(why.ok()) << why.status();
  EXPECT_EQ(why->all_ns, 40u);
  EXPECT_EQ(why->stretches.back().thread, scenario.Id("C"));
}

TEST(WhyAWaitWasLong, RefusesWhatDoesNotExist) {
  const ScenarioTimeline scenario(kChainOfThree);
  EXPECT_FALSE(WhyWait(scenario.timeline(), {}, scenario.Id("A"), 5, 1).ok()) << "it runs";
  EXPECT_FALSE(WhyWait(scenario.timeline(), {}, scenario.Id("A"), 50, 1).ok()) << "it has no end";
  EXPECT_FALSE(PathWithin(scenario.timeline(), {}, 4711, 0, 30, 1).ok());
  EXPECT_FALSE(PathWithin(scenario.timeline(), {}, 0, 30, 30, 1).ok());
  EXPECT_FALSE(SliceFrom(ExecutionGraph(scenario.timeline()), {.thread = 4711}, 1, {}).ok());
}

}  // namespace
}  // namespace gordian
