// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "nodes/joined_nodes.h"
#include "nodes/test_cluster.h"
#include "report/cluster_report.h"

namespace gordian {
namespace {

using testing::kDb;
using testing::kWeb;
using testing::StoryOf;
using testing::TestCluster;
using testing::operator""_ms;
using testing::operator""_us;

// All packets that a driver hands up at once are received before any is delivered: the wait ends
// with the first.
TEST(BatchedPackets, FirstOfItsFlowInABatchIsThePacket) {
  TestCluster t;
  t.Node("web1");
  t.Node("db1");
  t.Flow(kWeb, kDb);
  t.At("web1", 0).Thread(10, "front").Run(10);
  t.At("web1", 0, 1).Thread(11, "other").Run(11);
  t.At("db1", 0).Thread(20, "back");
  t.At("web1", 1_ms);
  t.Send("web1", kWeb, kDb, 1000, 100, 10);
  t.At("web1", 2_ms, 1);
  t.Send("web1", kWeb, kDb, 1100, 100, 11);
  t.At("db1", 3_ms);
  t.Receive("db1", kWeb, kDb, 1000, 100);
  t.At("db1", 3_ms + 400);
  t.Deliver("db1", kWeb, kDb, 1100, 100, 20);
  t.At("db1", 3100_us).Run(20);
  t.Measure(4_ms);
  const JoinedNodes joined = t.Load();
  EXPECT_EQ(joined.waits.in_mixed_batches, 0u);
  EXPECT_EQ(StoryOf(joined.timeline, "db1", "back"),
            "0 wait web1/front | 1000 wait link web1→db1 | 3000 runnable | 3100 run");
}

TEST(BatchedPackets, PacketsApartAreNoBatch) {
  TestCluster t;
  t.Node("web1");
  t.Node("db1");
  t.Flow(kWeb, kDb);
  t.At("web1", 0).Thread(10, "front").Run(10);
  t.At("web1", 0, 1).Thread(11, "other").Run(11);
  t.At("db1", 0).Thread(20, "back");
  t.At("web1", 1_ms);
  t.Send("web1", kWeb, kDb, 1000, 100, 10);
  t.At("web1", 2_ms, 1);
  t.Send("web1", kWeb, kDb, 1100, 100, 11);
  t.At("db1", 3_ms);
  t.Receive("db1", kWeb, kDb, 1000, 100);
  t.At("db1", 3002_us);
  t.Deliver("db1", kWeb, kDb, 1100, 100, 20);
  t.At("db1", 3100_us).Run(20);
  t.Measure(4_ms);
  const JoinedNodes joined = t.Load();
  EXPECT_EQ(StoryOf(joined.timeline, "db1", "back"),
            "0 wait web1/other | 2000 wait link web1→db1 | 3002 runnable | 3100 run");
}

// The records do not tell which of the flows woke which thread.
TEST(BatchedPackets, BatchesOfSeveralFlowsAreCounted) {
  TestCluster t;
  t.Node("web1");
  t.Node("db1");
  t.Flow(kWeb, kDb);
  t.Flow(kWeb + 1, kDb);
  t.At("web1", 0).Thread(10, "front").Run(10);
  t.At("web1", 0, 1).Thread(11, "other").Run(11);
  t.At("db1", 0).Thread(20, "back");
  t.At("web1", 1_ms);
  t.Send("web1", kWeb, kDb, 1000, 100, 10);
  t.At("web1", 2_ms, 1);
  t.Send("web1", kWeb + 1, kDb, 5000, 100, 11);
  t.At("db1", 3_ms);
  t.Receive("db1", kWeb, kDb, 1000, 100);
  t.At("db1", 3_ms + 400);
  t.Deliver("db1", kWeb + 1, kDb, 5000, 100, 20);
  t.At("db1", 3100_us).Run(20);
  t.Measure(4_ms);
  const JoinedNodes joined = t.Load();
  EXPECT_EQ(joined.waits.matched, 1u);
  EXPECT_EQ(joined.waits.in_mixed_batches, 1u);
  EXPECT_EQ(ClusterCounts(joined, 0)[0].name, "messages_in_mixed_batches");
}

}  // namespace
}  // namespace gordian
