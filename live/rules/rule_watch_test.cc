// SPDX-License-Identifier: Apache-2.0
#include "live/rules/rule_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "live/rules/rule_file.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

pb::LiveFrame LiveAt(double to_s, double share = 0) {
  pb::LiveFrame frame;
  frame.set_from_s(to_s > 10 ? to_s - 10 : 0);
  frame.set_to_s(to_s);
  if (share > 0) {
    pb::LiveFinding& finding = *frame.add_findings();
    finding.set_kind("knot");
    finding.add_members("db (4 threads)");
    finding.set_share(share);
  }
  return frame;
}

RuleWatch Watch(const std::string& rules) {
  auto parsed = ParseRules(rules, "f");
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  return RuleWatch(*std::move(parsed));
}

// The seconds at which the first rule fires, if each second's frame has this share.
std::vector<int> FiredAt(RuleWatch watch, const std::vector<double>& shares) {
  std::vector<int> fired;
  for (size_t i = 0; i < shares.size(); ++i)
    if (!watch.Take(LiveAt(static_cast<double>(i + 1), shares[i])).empty())
      fired.push_back(static_cast<int>(i + 1));
  return fired;
}

TEST(RuleWatch, FiresOnceWhileItHolds) {
  EXPECT_THAT(FiredAt(Watch("rule r\nwhen share > 30 %\ncooldown 0s"), {0.1, 0.4, 0.4, 0.4}),
              ElementsAre(2));
}

TEST(RuleWatch, FiresAgainOnceItWasOver) {
  EXPECT_THAT(FiredAt(Watch("rule r\nwhen share > 30 %\ncooldown 0s"), {0.4, 0.1, 0.4, 0.4}),
              ElementsAre(1, 3));
}

TEST(RuleWatch, FiresOnlyWhenItHasHeldForItsTime) {
  const std::string rule = "rule r\nwhen share > 30 %\nfor 3s\ncooldown 0s";
  EXPECT_THAT(FiredAt(Watch(rule), {0.4, 0.4, 0.4, 0.1, 0.4, 0.4, 0.4, 0.4, 0.4}), ElementsAre(8));
}

TEST(RuleWatch, IsOverOnlyWhenItHasNotHeldForItsTime) {
  const std::string rule = "rule r\nwhen share > 30 %\nfor 2s\ncooldown 0s";
  // It flickers at 4, and is over at 8.
  EXPECT_THAT(FiredAt(Watch(rule), {0.4, 0.4, 0.4, 0.1, 0.4, 0.1, 0.1, 0.1, 0.4, 0.4, 0.4}),
              ElementsAre(3, 11));
}

TEST(RuleWatch, FiresNotAgainWithinItsCooldownButAfterItIfItStillHolds) {
  const std::string rule = "rule r\nwhen share > 30 %\ncooldown 5s";
  EXPECT_THAT(FiredAt(Watch(rule), {0.4, 0.1, 0.4, 0.1, 0.4, 0.4, 0.4, 0.4}), ElementsAre(1, 6));
}

TEST(RuleWatch, TimeThatNobodySawEndsAHolding) {
  RuleWatch watch = Watch("rule r\nwhen share > 30 %\nfor 20s");
  EXPECT_THAT(watch.Take(LiveAt(10, 0.4)), IsEmpty());
  EXPECT_THAT(watch.Take(LiveAt(20, 0.4)), IsEmpty());
  EXPECT_THAT(watch.Take(LiveAt(40, 0.4)), IsEmpty());  // 20 to 30 is in no frame
  EXPECT_THAT(watch.Take(LiveAt(50, 0.4)), IsEmpty());
  EXPECT_THAT(watch.Take(LiveAt(60, 0.4)), ElementsAre(0));
}

TEST(RuleWatch, ATimeThatJumpsBackBeginsAnew) {
  RuleWatch watch = Watch("rule r\nwhen share > 30 %\nfor 2s\ncooldown 1h");
  watch.Take(LiveAt(100, 0.4));
  EXPECT_THAT(watch.Take(LiveAt(102, 0.4)), ElementsAre(0));
  EXPECT_THAT(watch.Take(LiveAt(5, 0.4)), IsEmpty());
  EXPECT_THAT(watch.Take(LiveAt(7, 0.4)), ElementsAre(0));
}

TEST(RuleWatch, SeveralRulesFireOnOneFrame) {
  RuleWatch watch = Watch(
      "rule a\nwhen share > 30 %\nrule b\nwhen share > 50 %\nrule c\nwhen finding is knot of db\n"
      "rule d\nwhen finding is sink\nrule e\nwhen share of sink > 1 %");
  EXPECT_THAT(watch.Take(LiveAt(1, 0.4)), ElementsAre(0, 2));
  EXPECT_THAT(watch.Take(LiveAt(2, 0.6)), ElementsAre(1));
}

TEST(RuleWatch, AllConditionsOfARuleMustHold) {
  RuleWatch watch = Watch("rule r\nwhen share > 30 % and lag > 2s");
  pb::LiveFrame frame = LiveAt(1, 0.4);
  EXPECT_THAT(watch.Take(frame), IsEmpty());
  frame.mutable_quality()->set_lag_s(3);
  EXPECT_THAT(watch.Take(frame), ElementsAre(0));
}

TEST(RuleWatch, LossesAreThoseSinceTheFrameBefore) {
  RuleWatch watch = Watch("rule r\nwhen lost > 0\ncooldown 0s");
  pb::LiveFrame frame = LiveAt(1);
  frame.mutable_quality()->set_lost(5);
  EXPECT_THAT(watch.Take(frame), ElementsAre(0));
  frame.set_to_s(2);
  EXPECT_THAT(watch.Take(frame), IsEmpty());
  frame.set_to_s(3);
  frame.mutable_quality()->set_lost(6);
  EXPECT_THAT(watch.Take(frame), ElementsAre(0));
}

TEST(RuleWatch, ANameThatNoFrameHasKnownHoldsNothing) {
  RuleWatch watch = Watch("rule r\nwhen run of worker < 1 %");
  EXPECT_THAT(watch.Take(LiveAt(1)), IsEmpty());
  pb::LiveFrame frame = LiveAt(2);
  pb::LiveVertex& vertex = *frame.add_vertices();
  vertex.set_label("worker (4 threads)");
  vertex.set_run_share(0.5);
  EXPECT_THAT(watch.Take(frame), IsEmpty());
  EXPECT_THAT(watch.Take(LiveAt(3)), ElementsAre(0));
}

TEST(RuleWatch, AWaitIsItsWeightInTheFramesLength) {
  RuleWatch watch = Watch("rule r\nwhen wait web* -> db > 40 %");
  pb::LiveFrame frame = LiveAt(20);
  for (const char* from : {"web/1", "web/2"}) {
    pb::LiveWait& wait = *frame.add_waits();
    wait.set_from(from);
    wait.set_to("db");
    wait.set_weight_s(2);
  }
  EXPECT_THAT(watch.Take(frame), IsEmpty());  // 4 s in 10 s
  frame.mutable_waits(0)->set_weight_s(3);
  EXPECT_THAT(watch.Take(frame), ElementsAre(0));
}

TEST(RuleWatch, EachOtherQuantityIsTheFrames) {
  pb::LiveFrame frame = LiveAt(1, 0.4);
  frame.mutable_findings(0)->set_upper_bound_gain(3);
  pb::LiveVertex& vertex = *frame.add_vertices();
  vertex.set_label("db");
  vertex.set_participation(0.6);
  for (const char* what : {"cpus", "disk"}) {
    pb::LiveResource& resource = *frame.add_resources();
    resource.set_what(what);
    resource.set_use(0.95);
    resource.set_capacity(1);
  }
  frame.mutable_quality()->set_stalled_share(0.5);
  frame.mutable_quality()->set_unknown_share(0.5);
  frame.mutable_quality()->set_open_waits(9);
  frame.add_nodes()->set_state("lost");
  frame.mutable_requests()->set_finished_per_s(12);
  frame.mutable_requests()->set_p99_s(0.7);
  for (const std::string condition :
       {"gain > 2", "participation of db > 0.5", "cpus > 90 %", "disk >= 0.95", "stalled > 40 %",
        "unknown > 40 %", "open-waits > 8", "lost-nodes > 0", "requests > 11",
        "request-time > 600ms"}) {
    EXPECT_THAT(Watch("rule r\nwhen " + condition).Take(frame), ElementsAre(0)) << condition;
    EXPECT_THAT(Watch("rule r\nwhen " + condition).Take(LiveAt(1)), IsEmpty()) << condition;
  }
}

TEST(RuleWatch, NoRequestForSomeSecondsFiresOnceOneWasFinished) {
  RuleWatch watch = Watch("rule hangs\nwhen requests < 1\nfor 5s");
  for (int second = 1; second <= 10; ++second)
    EXPECT_THAT(watch.Take(LiveAt(second)), IsEmpty()) << "the target is no server";
  pb::LiveFrame busy = LiveAt(11);
  busy.mutable_requests()->set_finished_per_s(40);
  EXPECT_THAT(watch.Take(busy), IsEmpty());
  for (int second = 12; second < 17; ++second) EXPECT_THAT(watch.Take(LiveAt(second)), IsEmpty());
  EXPECT_THAT(watch.Take(LiveAt(17)), ElementsAre(0));
}

}  // namespace
}  // namespace gordian
