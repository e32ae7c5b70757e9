// SPDX-License-Identifier: Apache-2.0
// Replays of several nodes: each has CPUs and disks of its own, and messages take time.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "nodes/test_cluster.h"
#include "whatif/testing/replay_fixture.h"
#include "whatif/testing/test_traces.h"

namespace gordian::testing {
namespace {

constexpr int32_t kFirstThread = 10, kSecondThread = 20;
constexpr uint32_t kPayload = 100;

TraceBuilder& NodeWithCpus(TestCluster& cluster, const std::string& name, uint32_t cpus) {
  TraceBuilder& trace = cluster.Node(name);
  trace.session().mutable_host()->set_cpus(cpus);
  return trace;
}

// Messages of one flow, in order.
class Way {
 public:
  Way(TestCluster& cluster, std::string from, std::string to, uint16_t from_port, uint16_t to_port)
      : cluster_(cluster), from_(std::move(from)), to_(std::move(to)), ports_(from_port, to_port) {
    cluster.Flow(from_port, to_port);
  }
  void Send(uint64_t time_ns, int32_t tid) {
    cluster_.At(from_, time_ns);
    cluster_.Send(from_, ports_.first, ports_.second, sent_, kPayload, tid);
    sent_ += kPayload;
  }
  void Deliver(uint64_t time_ns, int32_t tid) {
    cluster_.At(to_, time_ns);
    cluster_.Deliver(to_, ports_.first, ports_.second, delivered_, kPayload, tid);
    delivered_ += kPayload;
  }

 private:
  TestCluster& cluster_;
  const std::string from_, to_;
  const std::pair<uint16_t, uint16_t> ports_;
  uint32_t sent_ = 1000, delivered_ = 1000;
};

// Every 7 ms: client on web works 2 ms and asks server on db, which works 3 ms and answers. A
// message is under way for 1 ms.
void AskAndAnswer(TestCluster& cluster, int requests) {
  NodeWithCpus(cluster, "web", 1).Thread(kFirstThread, "client");
  NodeWithCpus(cluster, "db", 1).Thread(kSecondThread, "server");
  Way there(cluster, "web", "db", kWeb, kDb), back(cluster, "db", "web", kDb, kWeb);
  cluster.At("web", 0).Run(kFirstThread);
  for (int i = 0; i < requests; ++i) {
    const uint64_t begin_ns = static_cast<uint64_t>(i) * 7_ms;
    there.Send(begin_ns + 2_ms, kFirstThread);
    cluster.At("web", begin_ns + 2_ms).Block();
    there.Deliver(begin_ns + 3_ms, kSecondThread);
    cluster.At("db", begin_ns + 3_ms).Run(kSecondThread);
    back.Send(begin_ns + 6_ms, kSecondThread);
    cluster.At("db", begin_ns + 6_ms).Block();
    back.Deliver(begin_ns + 7_ms, kFirstThread);
    cluster.At("web", begin_ns + 7_ms).Run(kFirstThread);
  }
  cluster.Measure(static_cast<uint64_t>(requests) * 7_ms);
}

// Source on a works 2 ms for each message, which is under way for 10 ms; drain on b works 1 ms on
// it. So all messages are sent before drain waits for them.
void Stream(TestCluster& cluster, int messages) {
  NodeWithCpus(cluster, "a", 1).Thread(kFirstThread, "source");
  NodeWithCpus(cluster, "b", 1).Thread(kSecondThread, "drain");
  Way way(cluster, "a", "b", kWeb, kDb);
  cluster.At("a", 0).Run(kFirstThread);
  for (int i = 0; i < messages; ++i) {
    const uint64_t sent_ns = static_cast<uint64_t>(i + 1) * 2_ms;
    way.Send(sent_ns, kFirstThread);
    way.Deliver(sent_ns + 10_ms, kSecondThread);
    cluster.At("b", sent_ns + 10_ms).Run(kSecondThread);
    cluster.At("b", sent_ns + 11_ms).Block();
  }
  cluster.Measure(static_cast<uint64_t>(messages + 6) * 2_ms);
}

// On each node two hogs share a CPU, for 10 ms in turn.
void TwoHogsEach(TestCluster& cluster, const std::vector<std::string>& nodes, int rounds) {
  for (const std::string& node : nodes) {
    NodeWithCpus(cluster, node, 1)
        .Thread(kFirstThread, "hog 1 of " + node)
        .Thread(kSecondThread, "hog 2 of " + node);
    cluster.At(node, 0).Run(kFirstThread);
    for (int i = 0; i < rounds; ++i) {
      cluster.At(node, (2 * static_cast<uint64_t>(i) + 1) * 10_ms).Run(kSecondThread);
      cluster.At(node, (2 * static_cast<uint64_t>(i) + 2) * 10_ms).Run(kFirstThread);
    }
  }
  cluster.Measure(static_cast<uint64_t>(rounds) * 20_ms);
}

// loop on each node works 2 ms and waits for a disk of its own for 3 ms.
void DiskEach(TestCluster& cluster, const std::vector<std::string>& nodes, int rounds) {
  for (const std::string& node : nodes) {
    TraceBuilder& t = NodeWithCpus(cluster, node, 1).Thread(kFirstThread, "loop of " + node);
    BlockEvent request = {.sector = 8,
                          .device = t.Disk("disk of " + node),
                          .bytes = 4096,
                          .tid = kFirstThread,
                          .operation = BlockOperation::kRead};
    cluster.At(node, 0).Run(kFirstThread);
    for (int i = 0; i < rounds; ++i) {
      const uint64_t begin_ns = static_cast<uint64_t>(i) * 5_ms;
      request.service_ns = 0;
      cluster.At(node, begin_ns + 2_ms).Issue(request).Block(kDiskSleep);
      request.service_ns = 3_ms;
      cluster.At(node, begin_ns + 5_ms)
          .Complete(request)
          .WakeFromBlock(kFirstThread, request.device);
      cluster.At(node, begin_ns + 5_ms).Run(kFirstThread);
    }
  }
  cluster.Measure(static_cast<uint64_t>(rounds) * 5_ms);
}

class NodesReplays : public Replays {
 protected:
  void Take(Timeline timeline) {
    timeline_ = std::make_unique<Timeline>(std::move(timeline));
    vertices_.clear();
    for (uint32_t id = 0; id < timeline_->entities().size(); ++id) vertices_.push_back(id);
  }
  void Load(TestCluster& cluster) { Take(std::move(cluster.Load().timeline)); }

  uint32_t Node(const std::string& name) const {
    const auto& nodes = timeline_->nodes();
    return static_cast<uint32_t>(std::find(nodes.begin(), nodes.end(), name) - nodes.begin());
  }
};

struct ChangeOfNodes {
  std::string what;
  std::function<Changes(const std::function<uint32_t(const std::string&)>& vertex)> change;
  double gain;
};

TEST_F(NodesReplays, RequestsTakeTheirWorkAndTheirWayThereAndBack) {
  TestCluster cluster;
  AskAndAnswer(cluster, 200);
  Load(cluster);
  using Vertices = std::function<uint32_t(const std::string&)>;
  const ChangeOfNodes cases[] = {
      {"half the work there",
       [](const Vertices& v) {
         return Changes{.runs = {{v("server"), 0.5}}};
       },
       7 / 5.5},
      {"half the work here",
       [](const Vertices& v) {
         return Changes{.runs = {{v("client"), 0.5}}};
       },
       7.0 / 6},
      {"no way there",
       [](const Vertices& v) {
         return Changes{.links = {{v("link web→db"), 0}}};
       },
       7.0 / 6},
      {"no way at all",
       [](const Vertices& v) {
         return Changes{.links = {{v("link web→db"), 0}, {v("link db→web"), 0}}};
       },
       7.0 / 5},
      {"a longer way",
       [](const Vertices& v) {
         return Changes{.links = {{v("link web→db"), 8}}};
       },
       7.0 / 14},
      {"not waiting for the way",
       [](const Vertices& v) {
         return Changes{.waits = {{v("client"), v("link db→web")}}};
       },
       7.0 / 6},
      {"not waiting for the server, which then is the limit",
       [](const Vertices& v) {
         return Changes{.waits = {{v("client"), v("server")}}};
       },
       7.0 / 3},
  };
  for (const ChangeOfNodes& its : cases) {
    SCOPED_TRACE(its.what);
    ExpectGain("client", its.change([this](const std::string& name) { return Vertex(name); }),
               its.gain);
  }
}

TEST_F(NodesReplays, WaitsForTheWayAreTheNextLimit) {
  TestCluster cluster;
  AskAndAnswer(cluster, 200);
  Load(cluster);
  const ReplayResult result =
      Try("client", {.links = {{Vertex("link db→web"), 3}}, .runs = {{Vertex("server"), 0}}});
  EXPECT_EQ(result.with_path.next.kind, NextLimit::kLink);
  EXPECT_EQ(result.with_path.next.entity, Vertex("client"));
  // It works 2 ms, and its answer is under way for 3; meanwhile its request is for 1.
  EXPECT_NEAR(result.with_path.next.share, 3.0 / 6, 0.02);
  EXPECT_NEAR(result.with_path.gain, 7.0 / 6, 0.02);
}

TEST_F(NodesReplays, MessagesThatWereSentLongAgoComeWhenTheyCome) {
  TestCluster cluster;
  Stream(cluster, 300);
  Load(cluster);
  ASSERT_EQ(timeline_->flights().size(), 300u);
  const uint32_t source = Vertex("source"), drain = Vertex("drain"), link = Vertex("link a→b");
  ExpectGain("drain", {.runs = {{drain, 0}}}, 1);
  ExpectGain("drain", {.links = {{link, 0}}}, 1);
  ExpectGain("drain", {.runs = {{source, 0.5}}}, 2);
  ExpectGain("drain", {.runs = {{source, 0.25}}}, 2);  // 1 ms is drain's own
  ExpectGain("drain", {.runs = {{source, 0.25}, {drain, 0.5}}}, 4);
}

TEST_F(NodesReplays, ThreadsRunOnTheCpusOfTheirNode) {
  TestCluster cluster;
  TwoHogsEach(cluster, {"a", "b"}, 200);
  Load(cluster);
  ExpectGain("hog 1 of a", {.cpus = {{Node("a"), 2}}}, 2);
  ExpectGain("hog 1 of a", {.cpus = {{Node("b"), 2}}}, 1);
  ExpectGain("hog 1 of b", {.cpus = {{Node("b"), 2}}}, 2);
  // The CPUs of a are the limit, not those of both nodes together.
  const ReplayResult result = Try("hog 1 of a", {.cpus = {{Node("b"), 16}}});
  EXPECT_EQ(result.wait_alone.next.node, Node("a"));
}

TEST_F(NodesReplays, DisksServeTheirOwnNode) {
  TestCluster cluster;
  DiskEach(cluster, {"a", "b"}, 200);
  Load(cluster);
  ExpectGain("loop of a", {.disks = {{Vertex("disk of a"), 0}}}, 5.0 / 2);
  ExpectGain("loop of a", {.disks = {{Vertex("disk of b"), 0}}}, 1);
}

TEST_F(NodesReplays, NodesThatDoNotTalkChangeNothingForEachOther) {
  TestCluster cluster;
  DiskEach(cluster, {"a", "b"}, 200);
  Load(cluster);
  const Changes changes[] = {
      {.disks = {{Vertex("disk of b"), 0.1}}},
      {.waits = {{Vertex("loop of b"), Vertex("disk of b")}}},
      {.runs = {{Vertex("loop of b"), 5}}},
      {.cpus = {{Node("b"), 4}}},
  };
  for (const Changes& change : changes) {
    const ReplayResult result = Try("loop of a", change);
    EXPECT_EQ(result.wait_alone.gain, 1);
    EXPECT_EQ(result.with_path.gain, 1);
  }
}

// What is not the same is what only a joined timeline has.
TEST_F(NodesReplays, ANodeAloneAnswersAsItsOwnRecording) {
  struct Recording {
    TraceBuilder trace;
    std::string progress;
    std::string disk;
  };
  Recording recordings[] = {{Figure1Trace(200), "A", "vda"},
                            {PipelineTrace(200), "consumer", "vda"},
                            {ClosedNetworkTrace(200), "thread 1", "vda"},
                            {RingTrace(200), "stage 0", ""},
                            {TwoServersTrace(200), "client", "vda"}};
  for (Recording& its : recordings) {
    SCOPED_TRACE(its.progress);
    const std::string cluster = dir_ / ("cluster of " + its.progress);
    std::filesystem::create_directories(cluster);
    Replays::Load(its.trace, false, "cluster of " + its.progress + "/only");
    const auto answers = [&] {
      std::vector<ReplayResult> all = {TryAll(its.progress, {.changes = {.cpus = {{0, 3}}}})};
      all.push_back(Try(its.progress, {.runs = {{Vertex(its.progress), 0.5}}}));
      if (!its.disk.empty()) all.push_back(Try(its.progress, {.disks = {{Vertex(its.disk), 0.3}}}));
      return all;
    };
    const std::vector<ReplayResult> alone = answers();
    const auto sessions = FindNodeSessions(cluster);
    ASSERT_TRUE(sessions.ok()) << sessions.status();
    std::vector<std::string> skipped;
    auto joined = LoadNodes(*sessions, {.threads = 1}, {}, skipped);
    ASSERT_TRUE(joined.ok()) << joined.status();
    ASSERT_EQ(joined->timeline.nodes(), std::vector<std::string>{"only"});
    Take(std::move(joined->timeline));
    const std::vector<ReplayResult> as_cluster = answers();
    ASSERT_EQ(alone.size(), as_cluster.size());
    for (size_t i = 0; i < alone.size(); ++i) {
      EXPECT_EQ(alone[i].low, as_cluster[i].low);
      EXPECT_EQ(alone[i].high, as_cluster[i].high);
      EXPECT_EQ(alone[i].expected, as_cluster[i].expected);
      EXPECT_EQ(alone[i].recorded_rate, as_cluster[i].recorded_rate);
      EXPECT_EQ(alone[i].self_check(), as_cluster[i].self_check());
      EXPECT_EQ(alone[i].steps, as_cluster[i].steps);
      EXPECT_EQ(alone[i].with_path.next.kind, as_cluster[i].with_path.next.kind);
    }
  }
}

// A cut through waits, messages under way and work.
TEST_F(NodesReplays, APartOfSeveralNodesIsLikeTheWhole) {
  TestCluster cluster;
  AskAndAnswer(cluster, 200);
  Load(cluster);
  const Timeline whole = std::move(*timeline_);
  for (const uint64_t cut_ns : {0_ms, 1_ms, 2500_us, 4_ms, 6500_us}) {
    SCOPED_TRACE(cut_ns);
    Take(whole.Excerpt(whole.start_ns() + 70_ms + cut_ns, whole.start_ns() + 1050_ms + 2 * cut_ns));
    ExpectGain("client", {.runs = {{Vertex("server"), 0.5}}}, 7 / 5.5);
    ExpectGain("client", {.links = {{Vertex("link web→db"), 0}}}, 7.0 / 6);
  }
}

}  // namespace
}  // namespace gordian::testing
