// SPDX-License-Identifier: Apache-2.0
#include "report/turned_away.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analyzer/testing/scenario_timeline.h"
#include "base/time_units.h"
#include "report/test_queue_samples.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A sleeps five times for 0.8 s, and a timer wakes it.
std::string FiveSleeps() {
  std::string text = "end 5000000000\nthread 1 A R\n0 0 switch 0 1\n";
  uint64_t now_ns = 1;
  for (int sleep = 0; sleep < 5; ++sleep) {
    absl::StrAppend(&text, now_ns, " 0 switch 1 0 S\n");
    now_ns += 800'000'000;
    absl::StrAppend(&text, now_ns, " 0 wake 1 by timer\n", now_ns, " 0 switch 0 1\n");
    now_ns += 200'000'000;
  }
  return text;
}

// The finding about A's wait for what wakes it, which is of that kind.
pb::Report ToldOfAsTimer(const TurnedAway& away, const std::string& kind) {
  const ScenarioTimeline recorded(FiveSleeps());
  pb::Report report;
  const Waits waits(recorded.timeline(), {});
  std::vector<uint32_t> vertex_of_entity(waits.entities().size());
  std::iota(vertex_of_entity.begin(), vertex_of_entity.end(), 0u);
  const EntityId who = recorded.Id("A");
  uint32_t waker = 0;
  for (SegmentCursor at = waits.SegmentsFrom(who, 0); !at.done(); at.Next())
    if (at.segment().kind == SegmentKind::kWait) waker = at.segment().waker;
  for (const Entity& entity : waits.entities()) {
    pb::ReportVertex& vertex = *report.add_vertices();
    vertex.set_id(static_cast<uint32_t>(report.vertices_size() - 1));
    vertex.set_name(entity.name);
    vertex.set_kind(entity.kind == EntityKind::kThread ? "thread" : kind);
  }
  pb::Finding& finding = *report.add_findings();
  finding.set_kind("sleep");
  finding.set_title("A sleeps.");
  finding.add_members(who);
  finding.mutable_edge()->set_from(who);
  finding.mutable_edge()->set_to(waker);
  finding.add_advice("Wait for an event.");
  report.set_verdict(finding.title());
  TellTurnedAway(waits, vertex_of_entity,
                 {recorded.timeline().start_ns(), recorded.timeline().end_ns()}, {&away, 1},
                 report);
  return report;
}

TEST(TurnedAwayConnections, AreTheLimitWhereEachWaitMayBeOne) {
  const pb::Report report = ToldOfAsTimer(
      {.times = 5, .socket = "127.0.0.1:80", .backlog = 1, .full_share = 0.1}, "timer");
  const pb::Finding& finding = report.findings(0);
  EXPECT_EQ(finding.title(),
            "Connections are turned away, as the accept queue of 127.0.0.1:80 (backlog 1) is full: "
            "A can only try again a second later.");
  EXPECT_EQ(report.verdict(), finding.title());
  EXPECT_THAT(finding.why(0), HasSubstr("turned connections away 5 times"));
  EXPECT_THAT(finding.advice(), ElementsAre(HasSubstr("Make the queue longer")));
  EXPECT_EQ(finding.accept_queue().turned_away(), 5);
}

TEST(TurnedAwayConnections, OfAnUnknownSocketAreToldWithoutIt) {
  EXPECT_THAT(ToldOfAsTimer({.times = 5}, "nic").verdict(),
              HasSubstr("turned away, as an accept queue is full"));
}

// Fewer than the waits, too short for them, of another machine, or waits for something else.
TEST(TurnedAwayConnections, ThatDoNotExplainTheWaitsAreNotTold) {
  EXPECT_EQ(ToldOfAsTimer({.times = 0}, "timer").verdict(), "A sleeps.");
  EXPECT_EQ(ToldOfAsTimer({.times = 1.9}, "timer").verdict(), "A sleeps.");
  EXPECT_EQ(ToldOfAsTimer({.node = 1, .times = 5}, "timer").verdict(), "A sleeps.");
  EXPECT_EQ(ToldOfAsTimer({.times = 5}, "disk").verdict(), "A sleeps.");
}

TEST(TurnedAwayConnections, AreCountedWithTheOneQueueThatWasSeenFull) {
  pb::ResourceBlock block;
  for (const uint64_t second : {1, 2, 3, 4}) {
    AddQueueSample(pb::RESOURCE_ACCEPT_QUEUE, "0.0.0.0:80", second, second == 1 ? 4 : 0, block);
    AddQueueSample(pb::RESOURCE_ACCEPT_QUEUE, "[::]:81", second, 2, block);
    AddQueueSample(pb::RESOURCE_ACCEPT_OVERFLOWS, "tcp", second, 3, block);
  }
  const auto of = [&] {
    const ResourceReadings readings = ReadingsOf({&block, 1});
    return TurnedAwayOf(AcceptQueuesOf(readings.all, 0, {0, 10 * kNsPerSecond}), 0);
  };
  EXPECT_EQ(of().socket, "0.0.0.0:80");
  EXPECT_EQ(of().backlog, 4);
  EXPECT_EQ(of().times, 12);
  EXPECT_EQ(of().full_share, 0.25);
  AddQueueSample(pb::RESOURCE_ACCEPT_QUEUE, "[::]:81", 5, 4, block);
  EXPECT_EQ(of().socket, "") << "either may be the one";
}

}  // namespace
}  // namespace gordian
