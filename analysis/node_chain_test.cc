// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>

#include "analysis/analysis.h"
#include "analyzer/graph/wait_for_graph.h"
#include "nodes/joined_nodes.h"
#include "nodes/test_cluster.h"
#include "report/vertex_names.h"
#include "tests/support/temp_dir.h"

namespace gordian {
namespace {

using testing::TestCluster;
using testing::operator""_ms;
using testing::operator""_us;

// The chain client → front end → back end with a slow disk, on three nodes. The same threads and
// waits as on a single node, except that a part of each wait is the link's.
TEST(NodeChain, CascadeGoesThroughTheNodes) {
  TestCluster t;
  t.Node("client");
  t.Node("front", {.skew_ns = 3'000'000'000});
  t.Node("back", {.skew_ns = -2'000'000'000});
  t.Flow(1, 2);
  t.Flow(2, 1);
  t.Flow(3, 4);
  t.Flow(4, 3);
  t.At("client", 0).Thread(10, "load").Run(10);
  t.At("front", 0).Thread(20, "web");
  t.At("back", 0).Thread(30, "store");
  t.At("client", 1_ms);
  t.Send("client", 1, 2, 1, 100, 10);
  t.At("client", 1_ms).Block();
  t.At("front", 2_ms);
  t.Deliver("front", 1, 2, 1, 100, 20);
  t.At("front", 2_ms).Run(20);
  t.At("front", 3_ms);
  t.Send("front", 3, 4, 1, 100, 20);
  t.At("front", 3_ms).Block();
  t.At("back", 4_ms);
  t.Deliver("back", 3, 4, 1, 100, 30);
  t.At("back", 4_ms).Run(30);
  t.At("back", 5_ms).Block(testing::kDiskSleep);
  const uint32_t disk = t.At("back", 5_ms).Disk("vda");
  t.At("back", 15_ms).WakeFromBlock(30, disk);
  t.At("back", 15_ms).Run(30);
  t.At("back", 16_ms);
  t.Send("back", 4, 3, 1, 100, 30);
  t.At("back", 16_ms).Block();
  t.At("front", 17_ms);
  t.Deliver("front", 4, 3, 1, 100, 20);
  t.At("front", 17_ms).Run(20);
  t.At("front", 18_ms);
  t.Send("front", 2, 1, 1, 100, 20);
  t.At("front", 18_ms).Block();
  t.At("client", 19_ms);
  t.Deliver("client", 2, 1, 1, 100, 10);
  t.At("client", 19_ms).Run(10);
  t.Measure(20_ms);
  const JoinedNodes joined = t.Load();
  const WaitForGraph graph = BuildWaitForGraph(joined.timeline, {});
  const auto weight_ms = [&](const std::string& from, const std::string& to) {
    for (const Edge& edge : graph.edges) {
      if (graph.entities[edge.from].name == from && graph.entities[edge.to].name == to)
        return edge.weight_ns / 1'000'000;
    }
    return uint64_t{0};
  };
  // load waits 17 ms for web and 1 ms for the link; web waits for store meanwhile, and that for its
  // disk: their waits count for all threads behind them.
  EXPECT_EQ(weight_ms("load", "web"), 17u);
  EXPECT_EQ(weight_ms("load", "link front→client"), 1u);
  EXPECT_EQ(weight_ms("web", "store"), 2 * 13u);
  EXPECT_EQ(weight_ms("store", "vda"), 3 * 10u);
  EXPECT_EQ(weight_ms("web", "link back→front"), 2u);
}

// The same chain, many times over: its limit is on the last node.
void RunChain(TestCluster& t) {
  t.Node("client");
  t.Node("front", {.skew_ns = 3'000'000'000, .bound_ns = 200'000});
  t.Node("back", {.skew_ns = -2'000'000'000, .drift_ppm = 50, .bound_ns = 200'000});
  for (const auto& [from, to] : {std::pair(1, 2), {2, 1}, {3, 4}, {4, 3}}) {
    t.Flow(static_cast<uint16_t>(from), static_cast<uint16_t>(to));
  }
  t.At("client", 0).Thread(10, "load").Run(10);
  t.At("front", 0).Thread(20, "web");
  t.At("back", 0).Thread(30, "store");
  const uint32_t disk = t.At("back", 0).Disk("vda");
  const auto hop = [&](const std::string& from, int32_t sender, const std::string& to,
                       int32_t receiver, uint16_t port, uint16_t to_port, uint32_t sequence,
                       uint64_t at_ns) {
    t.At(from, at_ns);
    t.Send(from, port, to_port, sequence, 100, sender);
    t.At(from, at_ns).Block();
    t.At(to, at_ns + 100_us);
    t.Deliver(to, port, to_port, sequence, 100, receiver);
    t.At(to, at_ns + 100_us).Run(receiver);
  };
  for (uint32_t i = 0; i < 100; ++i) {
    const uint64_t begin_ns = i * 20_ms;
    const uint32_t sequence = 1 + i * 100;
    hop("client", 10, "front", 20, 1, 2, sequence, begin_ns + 1_ms);
    hop("front", 20, "back", 30, 3, 4, sequence, begin_ns + 2_ms);
    t.At("back", begin_ns + 3_ms);
    t.At("back", begin_ns + 3_ms)
        .Issue({.sector = i, .device = disk, .bytes = 4096, .tid = 30})
        .Block(testing::kDiskSleep);
    t.At("back", begin_ns + 17_ms)
        .Complete({.sector = i,
                   .service_ns = t.Elapsed("back", begin_ns + 3_ms, begin_ns + 17_ms),
                   .device = disk,
                   .bytes = 4096,
                   .tid = 30})
        .WakeFromBlock(30, disk)
        .Run(30);
    hop("back", 30, "front", 20, 4, 3, sequence, begin_ns + 18_ms);
    hop("front", 20, "client", 10, 2, 1, sequence, begin_ns + 19_ms);
  }
  t.Measure(2000_ms);
}

TEST(NodeChain, KnotOfTheChainIsTheBackEndAndItsDisk) {
  TestCluster t;
  RunChain(t);
  const auto analysis =
      Analysis::Run(RecordingOf(t.Load()), {.target = {.comms = {"load", "web", "store"}}});
  ASSERT_TRUE(analysis.ok()) << analysis.status();
  ASSERT_NE(analysis->nodes(), nullptr);
  EXPECT_EQ(analysis->nodes()->waits.waits, 400u);
  EXPECT_EQ(analysis->nodes()->waits.tcp_matched, 400u);
  for (const Entity& entity : analysis->wait_for_graph().entities)
    EXPECT_EQ(entity.requests_without_end, 0u) << "whose clock runs slower or faster";
  const pb::Report& report = analysis->report();
  ASSERT_FALSE(report.findings().empty());
  const pb::Finding& first = report.findings(0);
  const VertexNames names(report);
  std::set<std::string> members;
  for (const uint32_t member : first.members()) members.insert(names.Name(member));
  EXPECT_EQ(members, (std::set<std::string>{"back/store/store", "back/vda"}));
  std::string ruled_out;
  for (const pb::RuledOut& what : first.ruled_out()) ruled_out += what.what() + "\n";
  EXPECT_NE(ruled_out.find("front/web/web"), std::string::npos) << ruled_out;
  // 0.1 ms under way, where two clocks may be further apart.
  ASSERT_EQ(report.cluster().links_size(), 4);
  for (const pb::ReportLink& link : report.cluster().links()) {
    EXPECT_EQ(link.within_clock_bound(), link.median_s() <= link.clock_bound_s());
    EXPECT_EQ(link.messages(), 100u);
  }
  bool marked = false;
  for (const pb::ReportEdge& edge : report.edges()) marked |= edge.within_clock_bound();
  EXPECT_TRUE(marked);
}

TEST(NodeChain, IsAnalyzedFromItsFolderAsWell) {
  TestCluster t;
  RunChain(t);
  const testing::TempDir dir;
  t.Write(dir / "cluster");
  const auto read = Analysis::Run(dir / "cluster");
  ASSERT_TRUE(read.ok()) << read.status();
  const auto joined = Analysis::Run(RecordingOf(t.Load()));
  ASSERT_TRUE(joined.ok()) << joined.status();
  EXPECT_EQ(read->report().DebugString(), joined->report().DebugString());
  EXPECT_TRUE(Analysis::Run(dir / "cluster", {.target = {.nodes = {"back"}}}).ok());
}

TEST(NodeChain, ComesFromTheStoreAsItWasJoined) {
  TestCluster t;
  RunChain(t);
  const testing::TempDir dir;
  t.Write(dir / "cluster");
  const auto store = Store::Open({.folder = dir / "store", .keep_free_bytes = 0});
  ASSERT_TRUE(store.ok()) << store.status();
  AnalysisOptions options;
  options.store = *store;
  const auto first = Analysis::Run(dir / "cluster", options);
  ASSERT_TRUE(first.ok()) << first.status();
  ASSERT_TRUE(first->KeepStages().ok());
  for (const uint64_t from_ns : {uint64_t{0}, uint64_t{700_ms}}) {
    options.range.from_ns = from_ns;
    options.predictions = FixOptions{.command = "gordian whatif cluster"};
    const auto kept = Analysis::Run(dir / "cluster", options);
    ASSERT_TRUE(kept.ok()) << kept.status();
    EXPECT_TRUE(kept->is_from_store());
    AnalysisOptions without = options;
    without.store = {};
    const auto read = Analysis::Run(dir / "cluster", without);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(kept->Page().DebugString(), read->Page().DebugString());
  }
}

}  // namespace
}  // namespace gordian
