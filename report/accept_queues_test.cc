// SPDX-License-Identifier: Apache-2.0
#include "report/accept_queues.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "analyzer/testing/scenario_timeline.h"
#include "base/time_units.h"
#include "report/test_queue_samples.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Of a sink A, thread and process 1.
pb::Report ToldWithOwners(std::vector<uint32_t> owners) {
  const ScenarioTimeline recorded("end 1000\nthread 1 A R\nthread 2 B R\n0 0 switch 0 1\n");
  pb::Report report;
  for (const Entity& entity : recorded.timeline().entities())
    report.add_vertices()->set_name(entity.name);
  pb::Finding& finding = *report.add_findings();
  finding.set_kind("sink");
  finding.set_title("A is the limit.");
  finding.add_members(recorded.Id("A"));
  report.set_verdict(finding.title());
  const Waits waits(recorded.timeline(), {});
  std::vector<uint32_t> vertex_of_entity(waits.entities().size());
  std::iota(vertex_of_entity.begin(), vertex_of_entity.end(), 0u);
  const SampledQueue queue{.socket = "0.0.0.0:80",
                           .backlog = 4,
                           .full_share = 0.9,
                           .turned_away = 130,
                           .pids = std::move(owners)};
  TellFullQueues(waits, vertex_of_entity,
                 {recorded.timeline().start_ns(), recorded.timeline().end_ns()}, {&queue, 1},
                 report);
  return report;
}

TEST(AcceptQueues, ThatAreFullAreToldOfTheirOwners) {
  const pb::Report report = ToldWithOwners({1});
  const pb::Finding& finding = report.findings(0);
  EXPECT_EQ(finding.title(), "A is the limit, and the accept queue of 0.0.0.0:80 is full.");
  EXPECT_EQ(report.verdict(), finding.title());
  EXPECT_EQ(finding.why(0),
            "Connections wait before it: the accept queue of 0.0.0.0:80 (backlog 4) is full in "
            "90 % of the samples. The kernel turned connections away 130 times, and such clients "
            "try again after a second.");
  EXPECT_THAT(finding.advice(), ElementsAre(HasSubstr("Accept sooner")));
  EXPECT_EQ(finding.accept_queue().turned_away(), 130);
}

TEST(AcceptQueues, OfOthersAreNotTold) {
  EXPECT_FALSE(ToldWithOwners({2}).findings(0).has_accept_queue());
  EXPECT_FALSE(ToldWithOwners({}).findings(0).has_accept_queue());
}

TEST(AcceptQueues, AreFullIfMostSamplesAre) {
  pb::ResourceBlock block;
  for (const uint64_t second : {1, 2, 3}) {
    AddQueueSample(pb::RESOURCE_ACCEPT_QUEUE, "0.0.0.0:80", second, second == 1 ? 0 : 4, block);
    AddQueueSample(pb::RESOURCE_ACCEPT_QUEUE, "[::]:81", second, second == 1 ? 4 : 0, block);
    AddQueueSample(pb::RESOURCE_ACCEPT_OVERFLOWS, "tcp", second, 10, block);
  }
  const ResourceReadings readings = ReadingsOf({&block, 1});
  const auto queues = MostlyFull(AcceptQueuesOf(readings.all, 1, {0, 10 * kNsPerSecond}));
  ASSERT_EQ(queues.size(), 1u);
  EXPECT_EQ(queues[0].node, 1u);
  EXPECT_EQ(queues[0].socket, "0.0.0.0:80");
  EXPECT_EQ(queues[0].backlog, 4);
  EXPECT_DOUBLE_EQ(queues[0].full_share, 2.0 / 3);
  EXPECT_DOUBLE_EQ(queues[0].turned_away, 30);
  EXPECT_THAT(queues[0].pids, ElementsAre(7));
  EXPECT_THAT(MostlyFull(AcceptQueuesOf({}, 0, {0, 1})), IsEmpty());
}

}  // namespace
}  // namespace gordian
