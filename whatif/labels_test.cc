// SPDX-License-Identifier: Apache-2.0
// Every option takes a thread, a group or a device by its name in the report.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/findings/findings.h"
#include "analyzer/graph/wait_for_graph.h"
#include "analyzer/testing/scenario.h"
#include "nodes/test_cluster.h"
#include "report/edge_listing.h"
#include "report/vertex_names.h"
#include "tests/support/temp_dir.h"

namespace gordian::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Threads of the vertex that `who=mine` makes; empty if it makes none.
std::set<EntityId> Grouped(const WaitForGraph& graph, const std::string& who) {
  std::set<EntityId> threads;
  const auto rule = ParseGroupRule(who + "=\x01mine");
  EXPECT_TRUE(rule.ok()) << rule.status();
  const auto merged = BuildGraph(graph, {.groups = {*rule}});
  EXPECT_TRUE(merged.ok()) << merged.status();
  if (!merged.ok()) return threads;
  for (const Vertex& vertex : merged->vertices) {
    if (vertex.name == "\x01mine") threads.insert(vertex.members.begin(), vertex.members.end());
  }
  return threads;
}

// Checks that edge lists take `text` for `vertex` alone.
void ExpectEdgesOf(const pb::Report& report, uint32_t vertex, const std::string& text) {
  const auto out = FindEdges(report, {.from = text}), in = FindEdges(report, {.to = text});
  ASSERT_TRUE(out.ok()) << out.status();
  ASSERT_TRUE(in.ok()) << in.status();
  const auto count = [&](auto end) {
    return static_cast<size_t>(std::count_if(report.edges().begin(), report.edges().end(), end));
  };
  EXPECT_EQ(out->size(), count([&](const pb::ReportEdge& edge) { return edge.from() == vertex; }));
  EXPECT_EQ(in->size(), count([&](const pb::ReportEdge& edge) { return edge.to() == vertex; }));
}

void ExpectEveryLabelIsTaken(const WaitForGraph& graph) {
  const auto merged = BuildGraph(graph, {});
  ASSERT_TRUE(merged.ok());
  const pb::Report report = Judge(graph, *merged, {});
  const VertexNames names(report);
  const VertexLabels labels = LabelsOf(*merged);
  ASSERT_EQ(report.vertices_size(), labels.size());
  for (const pb::ReportVertex& vertex : report.vertices()) {
    EXPECT_EQ(names.Name(vertex.id()), vertex.label());
    for (const std::string& text : {vertex.label(), labels.phrase(vertex.id())}) {
      SCOPED_TRACE(text);
      const std::vector<std::vector<uint32_t>> meanings = names.Meanings(text);
      ASSERT_FALSE(meanings.empty());
      EXPECT_THAT(meanings.front(), ElementsAre(vertex.id()));
      EXPECT_THAT(names.Called(text), ElementsAre(vertex.id()));
      ExpectEdgesOf(report, vertex.id(), text);
      if (!IsThreadKind(vertex.kind())) continue;
      const Vertex& drawn = merged->vertices[vertex.id()];
      const std::set<EntityId> grouped = Grouped(graph, text);
      for (const EntityId member : drawn.members) EXPECT_EQ(grouped.count(member), 1u);
      // A text that looks like no regular expression also matches longer names that contain it.
      const bool is_plain = text.find_first_of("\\^$.|?*+()[]{}") == std::string::npos;
      EXPECT_TRUE(is_plain || grouped.size() == drawn.members.size());
    }
  }
}

class LabelsOfScenarios : public ::testing::TestWithParam<std::string> {};

TEST_P(LabelsOfScenarios, AreTakenByEveryOption) {
  const TempDir directory;
  WriteScenario(ReadScenario(absl::StrCat(GORDIAN_SCENARIOS "/", GetParam(), ".txt")),
                directory / "session", 1000);
  auto session = SessionReader::Open(directory / "session");
  ASSERT_TRUE(session.ok());
  const auto timeline = LoadTimeline(**session);
  ASSERT_TRUE(timeline.ok());
  ExpectEveryLabelIsTaken(BuildWaitForGraph(*timeline));
}

std::vector<std::string> ScenarioNames() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(GORDIAN_SCENARIOS)) {
    if (entry.is_regular_file()) names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Testdata, LabelsOfScenarios, ::testing::ValuesIn(ScenarioNames()),
                         [](const auto& info) { return info.param; });

// A thread or device that works for a part of ten seconds.
Entity Working(EntityKind kind, const std::string& name, int32_t tid, uint32_t node = 0) {
  Entity entity;
  entity.kind = kind;
  entity.name = name;
  entity.process_name = tid % 2 == 0 ? "even" : "odd";
  entity.tid = tid;
  entity.tgid = tid == 0 ? 0 : 1000 + tid % 3;
  entity.node = node;
  entity.end_ns = 10'000'000'000;
  entity.run_ns = 1'000'000'000;
  entity.target = true;
  return entity;
}

// Every thread waits for the next one.
void AddEdges(WaitForGraph& graph) {
  graph.end_ns = 10'000'000'000;
  graph.cpus = 2;
  const auto count = static_cast<EntityId>(graph.entities.size());
  for (EntityId id = 0; id + 1 < count; ++id)
    graph.edges.push_back({id, id + 1, 2'000'000'000, 1'000'000'000, 10, 1'000'000'000});
}

WaitForGraph HostileGraph() {
  WaitForGraph graph;
  int32_t tid = 4711;
  for (const char* name : {"worker",      "worker",
                           "worker",      "worker-1",
                           "worker-2",    "client",
                           "client",      "vda",
                           "g++",         "[kworker",
                           "a->b",        "a=b",
                           " x ",         "",
                           "x\n",         "x\x1b[2J\xff",
                           "client/4716", "w*",
                           "(sd-pam)",    "worker (3 threads)",
                           "timers",      "the disk vda",
                           "4712",        "\xe2\x80\xaetxt",
                           "-x",          "io1",
                           "io2"})
    graph.entities.push_back(Working(EntityKind::kThread, name, tid++));
  for (const char* name : {"vda", "sda"})
    graph.entities.push_back(Working(EntityKind::kDisk, name, 0));
  graph.entities.push_back(Working(EntityKind::kNic, "vda", 0));
  graph.entities.push_back(Working(EntityKind::kTimer, "timer", 0));
  graph.entities.push_back(Working(EntityKind::kUnknown, "unknown", 0));
  AddEdges(graph);
  return graph;
}

TEST(Labels, OfDoubleAndHostileNamesAreTakenByEveryOption) {
  ExpectEveryLabelIsTaken(HostileGraph());
}

TEST(Labels, OfDoubleAndHostileNamesOnManyNodesAreTakenByEveryOption) {
  WaitForGraph graph;
  graph.nodes = {"web1", "web\x1b[2", "db"};
  for (uint32_t node = 0; node < graph.nodes.size(); ++node) {
    for (const Entity& entity : HostileGraph().entities) {
      graph.entities.push_back(entity);
      graph.entities.back().node = node;
    }
  }
  graph.entities.push_back(Working(EntityKind::kLink, "link web1→db", 0, 2));
  AddEdges(graph);
  ExpectEveryLabelIsTaken(graph);
}

TEST(Labels, OfAClusterAreTakenByEveryOption) {
  TestCluster cluster;
  cluster.Node("web1").Thread(11, "worker").Thread(12, "worker").Disk("vda");
  cluster.Node("db").Thread(11, "worker").Thread(21, "writer").Disk("vda");
  cluster.Flow(kWeb, kDb);
  cluster.At("web1", 1'000'000).Run(11);
  cluster.Send("web1", kWeb, kDb, 1, 100, 11);
  cluster.At("db", 1'500'000);
  cluster.Deliver("db", kWeb, kDb, 1, 100, 21);
  cluster.At("db", 1'600'000).Run(21);
  cluster.Measure(10'000'000);
  ExpectEveryLabelIsTaken(BuildWaitForGraph(cluster.Load().timeline));
}

TEST(Labels, OfNobodyAreToldWithWhatThereIsNearestFirst) {
  const WaitForGraph graph = HostileGraph();
  const pb::Report report = Judge(graph, BuildGraph(graph, {}).value(), {});
  EXPECT_THAT(
      std::string(VertexNames(report).NoneCalled("cleint").message()),
      HasSubstr(
          "no thread, group or device is called cleint; there are client/4716, client/4717, "));
  EXPECT_THAT(std::string(FindEdges(report, {.from = "vdaa\n"}).status().message()),
              HasSubstr("is called vdaa\uFFFD; there are "));
}

TEST(Labels, OfSeveralThreadsMeanAllOfThem) {
  const WaitForGraph graph = HostileGraph();
  const pb::Report report = Judge(graph, BuildGraph(graph, {}).value(), {});
  const VertexNames names(report);
  const std::vector<std::vector<uint32_t>> meanings = names.Meanings("thread worker");
  ASSERT_FALSE(meanings.empty());
  EXPECT_GT(meanings.front().size(), 1u);
  for (const uint32_t vertex : meanings.front()) EXPECT_EQ(names.Find(vertex)->name(), "worker");
}

}  // namespace
}  // namespace gordian::testing
