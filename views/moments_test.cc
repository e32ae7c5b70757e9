// SPDX-License-Identifier: Apache-2.0
#include "views/moments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/testing/scenario_timeline.h"

namespace gordian {
namespace {

using ::testing::HasSubstr;

// A wakes B, B wakes C; C had waited for the disk's answer before.
constexpr char kChain[] =
    "end 100\n"
    "thread 1 A R\n"
    "thread 2 B S\n"
    "thread 3 C S\n"
    "disk 8 vda\n"
    "0 0 switch 0 1 R\n"
    "5 0 issue 1 8 4096 5\n"
    "10 0 wake 2 by 1\n"
    "12 1 switch 0 2 R\n"
    "20 0 switch 1 0 S\n"
    "30 1 wake 3 by 2\n"
    "32 2 switch 0 3 R\n"
    "40 1 switch 2 0 S\n"
    "50 2 switch 3 0 S\n"
    "60 0 complete 8 5 55\n"
    "60 0 wake 1 by disk 8\n"
    "61 0 switch 0 1 R\n";

class WalkedChain : public ::testing::Test {
 protected:
  Moment At(const std::string& name, uint64_t at_ns) const {
    auto moment = moments_.MomentOf(scenario_.Id(name), at_ns);
    EXPECT_TRUE(moment.ok()) << moment.status();
    return *std::move(moment);
  }
  EntityId Id(const std::string& name) const { return scenario_.Id(name); }

  ScenarioTimeline scenario_{kChain};
  ExecutionGraph graph_{scenario_.timeline()};
  Code code_;
  Moments moments_{graph_, code_};
};

TEST_F(WalkedChain, AMomentTellsTheWaitAndWhoEndedIt) {
  const Moment wait = At("C", 15);
  EXPECT_EQ(wait.kind, SegmentKind::kWait);
  EXPECT_EQ(wait.start_ns, 0u);
  EXPECT_EQ(wait.end_ns, 30u);
  EXPECT_EQ(wait.waker, Id("B"));
  EXPECT_TRUE(wait.open_start);
  EXPECT_THAT(wait.sentence, HasSubstr("waited 30 ns for B/2"));
  EXPECT_THAT(At("A", 30).sentence, HasSubstr("the disk vda"));
  EXPECT_THAT(At("A", 3).sentence, HasSubstr("ran for 20 ns on CPU 0"));
}

TEST_F(WalkedChain, BackLeadsAlongTheCauses) {
  const Moment run = At("C", 35);
  ASSERT_TRUE(run.back.has_value());
  EXPECT_EQ(run.back->thread, Id("B"));
  EXPECT_EQ(run.back->at_ns, 29u);
  const Moment of_b = At("B", run.back->at_ns);
  EXPECT_EQ(of_b.kind, SegmentKind::kRun);
  ASSERT_TRUE(of_b.back.has_value());
  EXPECT_EQ(of_b.back->thread, Id("A"));
  EXPECT_EQ(of_b.back->at_ns, 9u);
  EXPECT_FALSE(At("A", 9).back.has_value()) << "it had run all along";
}

TEST_F(WalkedChain, BackOfADisksWaitLeadsToWhoAskedIt) {
  const Moment run = At("A", 70);
  ASSERT_TRUE(run.back.has_value());
  EXPECT_EQ(run.back->edge, CauseEdge::kDisk);
  EXPECT_EQ(run.back->thread, Id("A"));
  EXPECT_EQ(run.back->at_ns, 4u);
}

TEST_F(WalkedChain, ForwardLeadsToTheFirstThatWasWoken) {
  const auto from_a = moments_.Forward(Id("A"), 3, {});
  ASSERT_TRUE(from_a.has_value());
  EXPECT_EQ(from_a->thread, Id("B"));
  EXPECT_EQ(from_a->at_ns, 10u);
  const auto from_b = moments_.Forward(Id("B"), 10, {});
  ASSERT_TRUE(from_b.has_value());
  EXPECT_EQ(from_b->thread, Id("C"));
  EXPECT_FALSE(moments_.Forward(Id("C"), 30, {}).has_value());
  EXPECT_FALSE(moments_.Forward(Id("A"), 15, {}).has_value()) << "B was woken before";
}

TEST_F(WalkedChain, WakesAreArrowsBothWays) {
  const WakesAnswer wakes = WakesOf(scenario_.timeline(), Id("B"), 0, 100, {});
  ASSERT_EQ(wakes.arrows.size(), 2u);
  EXPECT_EQ(wakes.arrows[0].from, Id("A"));
  EXPECT_EQ(wakes.arrows[0].to, Id("B"));
  EXPECT_EQ(wakes.arrows[0].at_ns, 10u);
  EXPECT_EQ(wakes.arrows[1].to, Id("C"));
  EXPECT_FALSE(wakes.is_cut);
  EXPECT_TRUE(WakesOf(scenario_.timeline(), Id("B"), 11, 30, {}).arrows.empty());
}

TEST_F(WalkedChain, NoThreadAndNoLifeAreSaidSo) {
  EXPECT_FALSE(moments_.MomentOf(4711, 0).ok());
  EXPECT_FALSE(moments_.MomentOf(Id("A"), 100).ok());
  EXPECT_FALSE(moments_.Forward(4711, 0, {}).has_value());
}

}  // namespace
}  // namespace gordian
