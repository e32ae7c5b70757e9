// SPDX-License-Identifier: Apache-2.0
#include "nodes/joined_nodes.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "nodes/test_cluster.h"
#include "report/cluster_report.h"

namespace gordian {
namespace {

using testing::kDb;
using testing::kWeb;
using testing::StoryOf;
using testing::TestClock;
using testing::TestCluster;
using testing::operator""_ms;
using testing::operator""_us;

constexpr uint8_t kUdp = 17;

// front on web1 asks back on db1 from 1 ms on and has its answer at 5.4 ms: 0.3 ms there, 3.7 ms of
// work, 0.4 ms back.
void AskAndAnswer(TestCluster& t) {
  t.Flow(kWeb, kDb);
  t.Flow(kDb, kWeb);
  t.At("web1", 0).Thread(10, "front").Run(10);
  t.At("db1", 0).Thread(20, "back");
  t.At("web1", 1_ms);
  t.Send("web1", kWeb, kDb, 1000, 100, 10);
  t.At("web1", 1100_us).Block();
  t.At("db1", 1300_us);
  t.Deliver("db1", kWeb, kDb, 1000, 100, 20);
  t.At("db1", 1350_us).Run(20);
  t.At("db1", 5_ms);
  t.Send("db1", kDb, kWeb, 7000, 200, 20);
  t.At("db1", 5100_us).Block();
  t.At("web1", 5400_us);
  t.Deliver("web1", kDb, kWeb, 7000, 200, 10);
  t.At("web1", 5450_us).Run(10);
  t.Measure(6_ms);
}

TEST(JoinedNodes, WaiterWaitsForTheSenderAndThenForTheLink) {
  TestCluster t;
  t.Node("web1");
  t.Node("db1");
  AskAndAnswer(t);
  const JoinedNodes joined = t.Load();
  EXPECT_EQ(StoryOf(joined.timeline, "web1", "front"),
            "0 run | 1100 wait db1/back | 5000 wait link db1→web1 | 5400 runnable | 5450 run");
  EXPECT_EQ(StoryOf(joined.timeline, "db1", "back"),
            "0 wait web1/front | 1000 wait link web1→db1 | 1300 runnable | 1350 run | 5100 wait");
  EXPECT_EQ(joined.waits.waits, 2u);
  EXPECT_EQ(joined.waits.tcp_matched, 2u);
  ASSERT_EQ(joined.links.size(), 2u);
  EXPECT_EQ(joined.links[0].median_ns, 400_us);
  EXPECT_EQ(joined.links[1].shortest_ns, 300_us);
  const std::vector<Entity>& entities = joined.timeline.entities();
  EXPECT_EQ(entities[joined.links[0].entity].name, "link db1→web1");
  for (EntityId id = 0; id < joined.timeline.thread_count(); ++id) {
    const Entity& thread = entities[id];
    EXPECT_EQ(thread.run_ns + thread.runnable_ns + thread.wait_ns + thread.unknown_ns,
              thread.end_ns - thread.begin_ns);
  }
}

// Every clock is off by seconds and drifts; each measurement is off as far as its bound allows.
TEST(JoinedNodes, SkewedClocksAreBroughtTogetherWithinTheirBound) {
  for (const int64_t skew_ns : {-5'000'000'000, 5'000'000'000}) {
    for (const int64_t drift_ppm : {-100, 100}) {
      TestCluster t;
      t.Node("web1");
      t.Node("db1", {.skew_ns = skew_ns,
                     .drift_ppm = drift_ppm,
                     .error_ns = drift_ppm * 3000,
                     .bound_ns = 300'000});
      t.Flow(kWeb, kDb);
      t.Flow(kDb, kWeb);
      t.At("web1", 0).Thread(10, "front").Run(10);
      t.At("db1", 0).Thread(20, "back");
      constexpr uint64_t kTransitNs = 50'000;
      for (uint32_t i = 0; i < 200; ++i) {
        const uint64_t begin_ns = i * 10_ms;
        t.At("web1", begin_ns + 1_ms);
        t.Send("web1", kWeb, kDb, 1000 + i * 100, 100, 10);
        t.At("web1", begin_ns + 1010_us).Block();
        t.At("db1", begin_ns + 1_ms + kTransitNs);
        t.Deliver("db1", kWeb, kDb, 1000 + i * 100, 100, 20);
        t.At("db1", begin_ns + 1100_us).Run(20);
        t.At("db1", begin_ns + 5_ms);
        t.Send("db1", kDb, kWeb, 7000 + i * 200, 200, 20);
        t.At("db1", begin_ns + 5010_us).Block();
        t.At("web1", begin_ns + 5_ms + kTransitNs);
        t.Deliver("web1", kDb, kWeb, 7000 + i * 200, 200, 10);
        t.At("web1", begin_ns + 5100_us).Run(10);
      }
      t.Measure(2000_ms);
      const JoinedNodes joined = t.Load();
      EXPECT_EQ(joined.waits.matched, 400u);
      const JoinedNode& db = joined.nodes[0];
      ASSERT_EQ(db.name, "db1");
      EXPECT_GE(db.measured_bound_ns, 300'000u);
      EXPECT_LT(db.bound_ns, 60'000u);  // about one transit
      EXPECT_EQ(db.contradictions, 0u);
      EXPECT_LE(std::abs(db.offset_ns + skew_ns), static_cast<int64_t>(db.bound_ns));
      for (const NodeLink& link : joined.links) {
        EXPECT_EQ(link.bound_ns, db.bound_ns);
        EXPECT_LE(link.longest_ns, kTransitNs + db.bound_ns);
        EXPECT_GE(link.shortest_ns + db.bound_ns, kTransitNs);
      }
    }
  }
}

TEST(JoinedNodes, MessagesThatNoClockAllowsAreCounted) {
  TestCluster t;
  t.Node("web1");
  // Measured to be exact, and a second off.
  t.Node("db1", {.skew_ns = 0, .error_ns = 1'000'000'000, .bound_ns = 100});
  AskAndAnswer(t);
  const JoinedNodes joined = t.Load();
  EXPECT_EQ(joined.nodes[0].contradictions + joined.nodes[1].contradictions, 1u);
  EXPECT_EQ(joined.nodes[0].bound_ns, joined.nodes[0].measured_bound_ns);
}

TEST(JoinedNodes, UnmeasuredClockIsPlacedByMessages) {
  TestCluster t;
  t.Node("web1");
  t.Node("db1", {.skew_ns = 700'000, .measured = false});
  AskAndAnswer(t);
  const JoinedNodes joined = t.Load();
  EXPECT_EQ(joined.waits.matched, 2u);
  EXPECT_FALSE(joined.nodes[0].is_clock_measured);
  EXPECT_LT(joined.nodes[0].bound_ns, 400'000u);  // 0.3 ms there, 0.4 ms back
  EXPECT_LE(std::abs(joined.nodes[0].offset_ns + 700'000), 400'000);
}

// The kernel sends lost packets again: the sender is the thread that wrote them, and the time until
// they came is the link's.
TEST(JoinedNodes, RetransmissionIsTheLinksTime) {
  TestCluster t;
  t.Node("web1");
  t.Node("db1");
  t.Flow(kWeb, kDb);
  t.At("web1", 0).Thread(10, "front").Run(10);
  t.At("db1", 0).Thread(20, "back");
  t.At("web1", 1_ms);
  t.Send("web1", kWeb, kDb, 1000, 100, 10);
  t.At("web1", 1100_us).Block();
  t.At("web1", 201_ms);
  t.Send("web1", kWeb, kDb, 1000, 100, 0);
  t.At("db1", 202_ms);
  t.Deliver("db1", kWeb, kDb, 1000, 100, 20);
  t.At("db1", 203_ms).Run(20);
  t.Measure(204_ms);
  EXPECT_EQ(StoryOf(t.Load().timeline, "db1", "back"),
            "0 wait web1/front | 1000 wait link web1→db1 | 202000 runnable | 203000 run");
}

TEST(JoinedNodes, SegmentsAreFoundInWhatTheyWereCutFrom) {
  TestCluster t;
  t.Node("web1");
  t.Node("db1");
  t.Flow(kWeb, kDb, 6, FlowFamily::kIpv6);
  t.At("web1", 0).Thread(10, "front").Run(10);
  t.At("db1", 0).Thread(20, "back");
  const uint32_t begin = 0xffffff00;  // the numbers wrap around within
  t.At("web1", 1_ms);
  t.Send("web1", kWeb, kDb, begin, 40'000, 10);  // one for the card to cut
  t.At("web1", 2_ms);
  t.Send("web1", kWeb, kDb, begin + 40'000, 500, 10);  // put together with its end over there
  t.At("db1", 3_ms);
  t.Deliver("db1", kWeb, kDb, begin + 1448, 1448, 20);
  t.At("db1", 3100_us).Run(20);
  t.At("db1", 3200_us).Block();
  t.At("db1", 4_ms);
  t.Deliver("db1", kWeb, kDb, begin + 39'000, 1500, 20);
  t.At("db1", 4100_us).Run(20);
  t.Measure(5_ms);
  const JoinedNodes joined = t.Load();
  EXPECT_EQ(joined.waits.tcp_matched, 2u);
  EXPECT_EQ(
      StoryOf(joined.timeline, "db1", "back"),
      "0 wait web1/front | 1000 wait link web1→db1 | 3000 runnable | 3100 run | 3200 wait link "
      "web1→db1 | 4000 runnable | 4100 run");
}

TEST(JoinedNodes, WhatAnAcknowledgementSetFreeIsTheLastWriters) {
  TestCluster t;
  t.Node("web1");
  t.Node("db1");
  t.Flow(kWeb, kDb);
  t.At("web1", 0).Thread(10, "front").Run(10);
  t.At("db1", 0).Thread(20, "back");
  t.At("web1", 1_ms);
  t.Send("web1", kWeb, kDb, 1000, 100, 10);
  t.At("web1", 2_ms);
  t.Send("web1", kWeb, kDb, 1200, 100, 0);
  t.At("db1", 3_ms);
  t.Deliver("db1", kWeb, kDb, 1200, 100, 20);
  t.At("db1", 3100_us).Run(20);
  t.Measure(4_ms);
  const JoinedNodes joined = t.Load();
  EXPECT_EQ(joined.waits.by_last_writer, 1u);
  EXPECT_EQ(StoryOf(joined.timeline, "db1", "back"),
            "0 wait web1/front | 1000 wait link web1→db1 | 3000 runnable | 3100 run");
  EXPECT_EQ(joined.links[0].timed_messages, 0u);
}

TEST(JoinedNodes, WhatOnlyTheKernelSentStaysWithTheInterface) {
  TestCluster t;
  t.Node("web1");
  t.Node("db1");
  t.Flow(kWeb, kDb);
  t.At("web1", 0).Thread(10, "front").Run(10);
  t.At("db1", 0).Thread(20, "back");
  t.At("web1", 1_ms);
  t.Send("web1", kWeb, kDb, 1000, 0, 0);
  t.At("db1", 3_ms);
  t.Deliver("db1", kWeb, kDb, 1000, 0, 20);
  t.At("db1", 3100_us).Run(20);
  t.Measure(4_ms);
  const JoinedNodes joined = t.Load();
  EXPECT_EQ(joined.waits.by_kernel, 1u);
  EXPECT_EQ(StoryOf(joined.timeline, "db1", "back"), "0 wait db1/eth0 | 3000 runnable | 3100 run");
}

TEST(JoinedNodes, OutsideClientsAndLostRecordsStayWithTheInterface) {
  TestCluster t;
  t.Node("web1");
  t.Node("db1");
  t.Flow(kWeb, kDb);
  t.Flow(50000, kDb);
  t.At("web1", 0).Thread(10, "front").Run(10);
  t.At("db1", 0).Thread(20, "back");
  t.At("web1", 1_ms);
  t.Send("web1", kWeb, kDb, 1000, 100, 10);
  t.At("db1", 3_ms);
  t.Deliver("db1", 50000, kDb, 1000, 100, 20);  // no node sent in that flow
  t.At("db1", 3100_us).Run(20);
  t.At("db1", 3200_us).Block();
  t.At("db1", 4_ms);
  t.Deliver("db1", kWeb, kDb, 5000, 100, 20);  // … nor these bytes
  t.At("db1", 4100_us).Run(20);
  t.At("db1", 4200_us).Block();
  t.At("db1", 5_ms).WakeFromNet(20, TestCluster::kInterface);  // some packet
  t.At("db1", 5100_us).Run(20);
  t.Measure(6_ms);
  const JoinedNodes joined = t.Load();
  EXPECT_EQ(joined.waits.waits, 3u);
  EXPECT_EQ(joined.waits.outside, 1u);
  EXPECT_EQ(joined.waits.not_sent, 1u);
  EXPECT_EQ(joined.waits.without_packet, 1u);
  EXPECT_EQ(
      StoryOf(joined.timeline, "db1", "back"),
      "0 wait db1/eth0 | 3000 runnable | 3100 run | 3200 wait db1/eth0 | 4000 runnable | 4100 "
      "run | 4200 wait db1/eth0 | 5000 runnable | 5100 run");
}

// How long a packet's headers are is learned from those that follow it. If few follow, a lost
// record must not make one packet's bytes pass for another's.
TEST(JoinedNodes, LostRecordsOfShortFlowsStayUnmatched) {
  TestCluster t;
  t.Node("web1");
  t.Node("db1");
  t.Flow(kWeb, kDb);
  t.At("web1", 0).Thread(10, "front").Run(10);
  t.At("db1", 0).Thread(20, "back");
  t.At("web1", 1_ms);
  t.Send("web1", kWeb, kDb, 1000, 100, 10);
  // The record of 20 bytes from 1100 on is lost.
  t.At("web1", 2_ms);
  t.Send("web1", kWeb, kDb, 1120, 100, 10);
  t.At("db1", 3_ms);
  t.Deliver("db1", kWeb, kDb, 1100, 20, 20);
  t.At("db1", 3100_us).Run(20);
  t.Measure(4_ms);
  const JoinedNodes joined = t.Load();
  EXPECT_EQ(joined.waits.not_sent, 1u);
  EXPECT_EQ(StoryOf(joined.timeline, "db1", "back"), "0 wait db1/eth0 | 3000 runnable | 3100 run");
}

TEST(JoinedNodes, DatagramsAreMatchedInOrderAndBySize) {
  TestCluster t;
  t.Node("web1");
  t.Node("db1");
  t.Flow(kWeb, kDb, kUdp);
  t.At("web1", 0).Thread(10, "front").Run(10);
  t.At("db1", 0).Thread(20, "back");
  t.At("web1", 1_ms);
  t.Send("web1", kWeb, kDb, 0, 100, 10);
  t.At("db1", 2_ms);
  t.Deliver("db1", kWeb, kDb, 0, 100, 20);  // alone under way
  t.At("db1", 2100_us).Run(20);
  t.At("db1", 2200_us).Block();
  t.At("web1", 3_ms);
  t.Send("web1", kWeb, kDb, 0, 300, 10);  // lost
  t.At("web1", 4_ms);
  t.Send("web1", kWeb, kDb, 0, 200, 10);
  t.At("db1", 5_ms);
  t.Deliver("db1", kWeb, kDb, 0, 200, 20);
  t.At("db1", 5100_us).Run(20);
  t.Measure(6_ms);
  const JoinedNodes joined = t.Load();
  EXPECT_EQ(joined.waits.other_matched, 2u);
  EXPECT_EQ(joined.waits.other_sure, 1u);
  EXPECT_EQ(StoryOf(joined.timeline, "db1", "back"),
            "0 wait web1/front | 1000 wait link web1→db1 | 2000 runnable | 2100 run | 2200 wait "
            "web1/front | 4000 wait link web1→db1 | 5000 runnable | 5100 run");
}

// Containers of one node talk over virtual interfaces; loopback needs no matching at all.
TEST(JoinedNodes, SenderOnTheSameNodeComesFirst) {
  TestCluster t;
  t.Node("web1");
  t.Flow(kWeb, kDb);
  t.At("web1", 0).Thread(10, "front").Run(10);
  t.At("web1", 0).Thread(20, "back").Thread(30, "other");
  t.At("web1", 1_ms);
  t.Send("web1", kWeb, kDb, 1000, 100, 10);
  t.At("web1", 2_ms, 1);
  t.Deliver("web1", kWeb, kDb, 1000, 100, 20);
  t.At("web1", 2100_us, 1).Run(20);
  t.At("web1", 3_ms, 1).Wake(30);  // as loopback and unix sockets do
  t.At("web1", 3100_us, 2).Run(30);
  t.Measure(4_ms);
  const JoinedNodes joined = t.Load();
  EXPECT_EQ(StoryOf(joined.timeline, "web1", "back"),
            "0 wait web1/front | 1000 wait link web1→web1 | 2000 runnable | 2100 run");
  EXPECT_EQ(StoryOf(joined.timeline, "web1", "other"),
            "0 wait web1/back | 3000 runnable | 3100 run");
  EXPECT_EQ(joined.links[0].bound_ns, 0u);
}

TEST(JoinedNodes, AnyNumberOfThreadsGivesTheSame) {
  TestCluster t;
  t.Node("web1");
  t.Node("db1", {.skew_ns = 4'000'000, .bound_ns = 200'000});
  AskAndAnswer(t);
  const JoinedNodes one = t.Load(1);
  const JoinedNodes four = t.Load(4);
  for (const auto& [node, thread] : {std::pair("web1", "front"), std::pair("db1", "back")}) {
    EXPECT_EQ(StoryOf(one.timeline, node, thread), StoryOf(four.timeline, node, thread));
  }
}

// The recordings of two nodes, one of which asks the other.
std::vector<NodeSession> WebAndDatabase(const std::string& directory) {
  TestCluster t;
  t.Node("web1");
  t.Node("db1");
  AskAndAnswer(t);
  t.Write(directory);
  return *FindNodeSessions(directory);
}

TEST(JoinedNodes, NodeWithoutARecordingIsLeftOutAndTold) {
  const testing::TempDir dir;
  std::vector<NodeSession> sessions = WebAndDatabase(dir / "run");
  std::vector<std::string> skipped;
  sessions.push_back({"gone", dir / "run/gone"});
  const auto joined = LoadNodes(sessions, {}, {}, skipped);
  ASSERT_TRUE(joined.ok());
  EXPECT_EQ(joined->nodes.size(), 2u);
  ASSERT_EQ(skipped.size(), 1u);
  EXPECT_EQ(skipped[0].substr(0, 6), "gone: ");
}

}  // namespace
}  // namespace gordian
