// SPDX-License-Identifier: Apache-2.0
#include "analyzer/graph/graph.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "analyzer/graph/graphs_of_parts.h"
#include "analyzer/graph/similar_threads.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

constexpr uint64_t kSecond = 1'000'000'000;

class GraphBuilder {
 public:
  EntityId Thread(const std::string& name, const std::string& process, int32_t tgid,
                  uint64_t run_ns = 0) {
    Entity entity;
    entity.name = name;
    entity.process_name = process;
    entity.tgid = tgid;
    entity.tid = next_tid_++;
    entity.end_ns = 10 * kSecond;
    entity.run_ns = run_ns;
    entity.wait_ns = entity.end_ns - run_ns;
    return Add(entity);
  }
  EntityId Add(const Entity& entity) {
    graph.entities.push_back(entity);
    return static_cast<EntityId>(graph.entities.size() - 1);
  }
  void Edges(std::vector<Edge> edges) {
    std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
      return a.from != b.from ? a.from < b.from : a.to < b.to;
    });
    graph.edges = std::move(edges);
  }
  MergedGraph Build(const GraphOptions& options = {}) {
    graph.end_ns = 10 * kSecond;
    return BuildGraph(graph, options).value();
  }
  WaitForGraph graph;

 private:
  int32_t next_tid_ = 101;
};

std::vector<std::string> Names(const MergedGraph& graph) {
  std::vector<std::string> names;
  for (const Vertex& vertex : graph.vertices) names.push_back(vertex.name);
  return names;
}

TEST(NamePatterns, LeaveNumbersOut) {
  EXPECT_EQ(NamePattern("worker-12"), "worker-*");
  EXPECT_EQ(NamePattern("kworker/0:1H"), "kworker/*:*H");
  EXPECT_EQ(NamePattern("7"), "*");
  EXPECT_EQ(NamePattern(""), "");
}

TEST(MergedGraphs, NumberedThreadsOfOneProcessBecomeOneVertexWithCompleteEdges) {
  GraphBuilder b;
  const EntityId one = b.Thread("worker-1", "server", 100, kSecond);
  const EntityId two = b.Thread("worker-2", "server", 100, 3 * kSecond);
  const EntityId other = b.Thread("worker-1", "client", 200);
  const EntityId log = b.Thread("log", "server", 100);
  b.Edges({{one, two, 5, 4, 3, 2},
           {two, one, 6, 5, 4, 3},
           {one, log, 7, 6, 1, 6},
           {two, log, 8, 7, 1, 7},
           {log, two, 9, 9, 1, 9},
           {other, log, 1, 1, 1, 1}});
  const MergedGraph graph = b.Build();
  ASSERT_THAT(Names(graph), ElementsAre("log", "worker-*", "worker-1"));
  const Vertex& pool = graph.vertices[1];
  EXPECT_EQ(pool.kind, VertexKind::kGroup);
  EXPECT_EQ(pool.strands, 2);
  EXPECT_EQ(pool.pid, 100);
  EXPECT_EQ(pool.run_ns, 4 * kSecond);
  EXPECT_EQ(pool.most_run_ns, 3 * kSecond);
  EXPECT_THAT(pool.members, UnorderedElementsAre(one, two));
  ASSERT_EQ(graph.edges.size(), 4);
  EXPECT_EQ(graph.edges[0].weight_ns, 9);   // log -> pool
  EXPECT_EQ(graph.edges[1].weight_ns, 15);  // pool -> log
  EXPECT_EQ(graph.edges[1].own_ns, 13);
  EXPECT_EQ(graph.edges[1].count, 2);
  EXPECT_EQ(graph.edges[1].longest_ns, 7);
  EXPECT_EQ(graph.edges[2].from, graph.edges[2].to);  // among themselves
  EXPECT_EQ(graph.edges[2].weight_ns, 11);
}

TEST(MergedGraphs, QuestionsOfAPoolAreThoseOfItsThreadsToOthers) {
  GraphBuilder b;
  const EntityId one = b.Thread("worker-1", "server", 100);
  const EntityId two = b.Thread("worker-2", "server", 100);
  const EntityId back = b.Thread("back", "back", 200);
  b.graph.questions = {{one, two, 4}, {one, back, 30}, {two, back, 5}, {back, one, 2}};
  const MergedGraph graph = b.Build();
  ASSERT_THAT(Names(graph), ElementsAre("back", "worker-*"));
  EXPECT_THAT(graph.questions, ElementsAre(QuestionCount{0, 1, 2}, QuestionCount{1, 0, 35}));
}

TEST(MergedGraphs, ThreadsNobodyNamedStayApartWhereTheySpendTheirTimeDifferently) {
  GraphBuilder b;
  const EntityId a = b.Thread("figure1", "figure1", 100, 2 * kSecond);
  const EntityId c = b.Thread("figure1", "figure1", 100, 5 * kSecond);
  Entity disk;
  disk.kind = EntityKind::kDisk;
  disk.name = "vda";
  const EntityId vda = b.Add(disk);
  b.Edges({{a, c, 8 * kSecond, 8 * kSecond}, {c, vda, 10 * kSecond, 5 * kSecond}});
  EXPECT_THAT(Names(b.Build()), ElementsAre("figure1", "figure1", "vda"));
}

TEST(MergedGraphs, ThreadsNobodyNamedMergeWhereTheySpendTheirTimeAlike) {
  GraphBuilder b;
  const EntityId hub = b.Thread("server", "server", 100, 9 * kSecond);
  std::vector<Edge> edges;
  for (int i = 0; i < 4; ++i) {
    const EntityId worker = b.Thread("server", "server", 100, 3 * kSecond + i * kSecond / 10);
    edges.push_back({worker, hub, 6 * kSecond, 6 * kSecond});
  }
  b.Edges(edges);
  const MergedGraph graph = b.Build();
  ASSERT_EQ(graph.vertices.size(), 2);
  EXPECT_EQ(graph.vertices[0].strands + graph.vertices[1].strands, 5);
}

TEST(MergedGraphs, ACircleOfEqualThreadsIsOneVertex) {
  GraphBuilder b;
  const EntityId x = b.Thread("ring", "ring", 100, 3 * kSecond);
  const EntityId y = b.Thread("ring", "ring", 100, 3 * kSecond);
  const EntityId z = b.Thread("ring", "ring", 100, 3 * kSecond);
  b.Edges({{x, y, 7 * kSecond, 7 * kSecond},
           {y, z, 7 * kSecond, 7 * kSecond},
           {z, x, 7 * kSecond, 7 * kSecond}});
  const MergedGraph graph = b.Build();
  ASSERT_THAT(Names(graph), ElementsAre("ring"));
  EXPECT_EQ(graph.vertices[0].strands, 3);
}

TEST(MergedGraphs, ACircleOfThreadsThatWorkDifferentlyKeepsItsShape) {
  GraphBuilder b;
  const EntityId x = b.Thread("ring", "ring", 100, kSecond);
  const EntityId y = b.Thread("ring", "ring", 100, 7 * kSecond);
  const EntityId z = b.Thread("ring", "ring", 100, 4 * kSecond);
  b.Edges({{x, y, 9 * kSecond, 9 * kSecond},
           {y, z, 3 * kSecond, 3 * kSecond},
           {z, x, 6 * kSecond, 6 * kSecond}});
  EXPECT_EQ(b.Build().vertices.size(), 3);
}

TEST(MergedGraphs, KernelThreadsOfOneKindAreOneVertex) {
  GraphBuilder b;
  for (const char* name : {"kworker/0:1", "kworker/1:0", "kworker/1:2"}) {
    b.graph.entities[b.Thread(name, name, 50)].kernel_thread = true;
  }
  b.graph.entities[1].tgid = 51;
  const MergedGraph graph = b.Build();
  ASSERT_THAT(Names(graph), ElementsAre("kworker/*:*"));
  EXPECT_TRUE(graph.vertices[0].kernel_thread);
}

TEST(MergedGraphs, WithoutMergingEachThreadIsAVertexButShortLivedOnesFollowTheirVirtualOne) {
  GraphBuilder b;
  b.Thread("worker-1", "server", 100);
  b.Thread("worker-2", "server", 100);
  Entity threads;
  threads.kind = EntityKind::kVirtual;
  threads.name = "server's threads";
  const EntityId together = b.Add(threads);
  const EntityId brief = b.Thread("job", "server", 100);
  b.graph.entities[brief].merged_into = together;
  b.Edges({{brief, 0, 3, 3}, {together, 0, 4, 4}});
  const MergedGraph graph = b.Build({.merge_similar = false, .groups = {}});
  ASSERT_THAT(Names(graph), ElementsAre("server's threads", "worker-1", "worker-2"));
  EXPECT_THAT(graph.vertices[0].members, ElementsAre(together, brief));
  EXPECT_EQ(graph.vertices[0].strands, 1);
  ASSERT_EQ(graph.edges.size(), 1);
  EXPECT_EQ(graph.edges[0].weight_ns, 7);
}

TEST(MergedGraphs, TheUsersOwnGroupsComeFirstAndCrossProcesses) {
  GraphBuilder b;
  b.Thread("postgres", "postgres", 100);
  b.Thread("postgres", "postgres", 200);
  b.Thread("pgbench", "pgbench", 300);
  const MergedGraph graph =
      b.Build({.merge_similar = false, .groups = {ParseGroupRule("^post=backends").value()}});
  ASSERT_THAT(Names(graph), ElementsAre("backends", "pgbench"));
  EXPECT_EQ(graph.vertices[0].pid, 0);
}

GraphOptions Grouping(const std::string& who) {
  return {.groups = {ParseGroupRule(who + "=mine").value()}};
}

TEST(MergedGraphs, TheUsersOwnGroupsAreOfWhatReportsCallSo) {
  GraphBuilder b;
  b.Thread("io1", "p", 100);
  b.Thread("io2", "p", 100);
  b.Thread("main", "p", 100);
  ASSERT_THAT(Names(b.Build()), ElementsAre("io*", "main"));
  // As a regular expression "io*" matches every i, and the parentheses match nothing.
  for (const char* who : {"io*", "io* (2 threads)"})
    EXPECT_THAT(Names(b.Build(Grouping(who))), ElementsAre("main", "mine")) << who;
  EXPECT_THAT(Names(b.Build(Grouping("i.*"))), ElementsAre("mine"));
}

TEST(MergedGraphs, TheUsersOwnGroupsAreOfSingleThreadsAmongMany) {
  GraphBuilder b;
  const EntityId first = b.Thread("worker", "p", 100);
  b.Thread("worker", "q", 200);
  b.Thread("worker-1", "q", 200);
  const MergedGraph one = b.Build(Grouping("worker/101"));
  EXPECT_THAT(Names(one), UnorderedElementsAre("mine", "worker", "worker-1"));
  EXPECT_EQ(one.vertices[one.vertex_of_entity[first]].name, "mine");
  // A name without regular expression syntax is also a regular expression.
  EXPECT_THAT(Names(b.Build(Grouping("worker"))), ElementsAre("mine"));
}

TEST(MergedGraphs, TheUsersOwnGroupsAreOfNamesThatAreNoRegularExpression) {
  GraphBuilder b;
  b.Thread("g++", "p", 100);
  b.Thread("[x\n", "p", 100);
  b.Thread("main", "p", 100);
  EXPECT_THAT(Names(b.Build(Grouping("g++"))), UnorderedElementsAre("main", "mine", "[x\n"));
  EXPECT_THAT(Names(b.Build(Grouping("[x\uFFFD"))), UnorderedElementsAre("main", "mine", "g++"));
}

TEST(MergedGraphs, DoNotDependOnTheOrderOfTheEntities) {
  GraphBuilder b;
  b.Thread("b", "p", 100);
  b.Thread("a", "p", 100);
  b.Thread("w1", "p", 100);
  b.Thread("w2", "p", 100);
  const std::vector<std::string> names = Names(b.Build());
  std::reverse(b.graph.entities.begin(), b.graph.entities.end());
  EXPECT_EQ(Names(b.Build()), names);
}

TEST(MergedGraphs, ACircleOfMergedThreadsEnds) {
  GraphBuilder b;
  b.Thread("a", "p", 100);
  b.Thread("b", "p", 100);
  b.Thread("c", "p", 100);
  b.graph.entities[0].merged_into = 1;
  b.graph.entities[1].merged_into = 0;
  EXPECT_EQ(b.Build().vertices.size(), 3);
}

TEST(GroupRules, MeanAllThreadsOfAProcess) {
  GraphBuilder b;
  const EntityId main = b.Thread("main", "g++", 100);
  const EntityId pool = b.Thread("pool", "g++", 100);
  const EntityId other = b.Thread("pool", "make", 200);
  for (const char* rule : {"g++=mine", "^g[+]+$=mine"}) {
    const auto graph = BuildGraph(b.graph, {.groups = {ParseGroupRule(rule).value()}});
    ASSERT_TRUE(graph.ok()) << graph.status();
    EXPECT_EQ(graph->vertex_of_entity[main], graph->vertex_of_entity[pool]) << rule;
    EXPECT_NE(graph->vertex_of_entity[main], graph->vertex_of_entity[other]) << rule;
  }
}

TEST(GroupRules, NameWhatIsWrongWithThem) {
  EXPECT_EQ(ParseGroupRule("a=b=c")->who, "a=b");
  EXPECT_THAT(std::string(ParseGroupRule("worker").status().message()), HasSubstr("REGEX=NAME"));
  GraphBuilder b;
  b.Thread("a", "p", 100);
  const auto graph = BuildGraph(b.graph, {.groups = {ParseGroupRule("(=x").value()}});
  EXPECT_EQ(graph.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(graph.status().message()),
              HasSubstr("group: '(' is no label of threads, and no regular expression"));
}

// Whatever stood in that place before.
TEST(MergedGraphs, OfAPartHaveTheVerticesOfTheWholeAndTheTimesOfThePart) {
  GraphBuilder b;
  const EntityId one = b.Thread("worker-1", "server", 100, kSecond);
  const EntityId two = b.Thread("worker-2", "server", 100, 3 * kSecond);
  Entity virtual_one;
  virtual_one.kind = EntityKind::kVirtual;
  virtual_one.name = "child";
  virtual_one.end_ns = 10 * kSecond;
  virtual_one.run_ns = 2 * kSecond;
  const EntityId children = b.Add(virtual_one);
  const EntityId child = b.Thread("child", "server", 100, kSecond);
  b.graph.entities[child].merged_into = children;
  b.Edges({{one, children, 5, 4, 3, 2}});
  const MergedGraph whole = b.Build();
  ASSERT_THAT(Names(whole), ElementsAre("child", "worker-*"));

  MergedGraph part = whole;
  WaitForGraph& graph = b.graph;
  graph.end_ns = 5 * kSecond;
  for (Entity& entity : graph.entities) entity.end_ns = graph.end_ns;
  graph.entities[two].run_ns = kSecond / 2;
  graph.entities[two].tid = 7;
  graph.entities[children].run_ns = kSecond / 4;
  graph.entities[child].target = true;
  graph.edges.clear();
  BuildGraphLikeInto(whole, graph, part);
  const Vertex& pool = part.vertices[1];
  EXPECT_EQ(pool.members, whole.vertices[1].members);
  EXPECT_EQ(pool.run_ns, kSecond + kSecond / 2);
  EXPECT_EQ(pool.most_run_ns, kSecond);
  EXPECT_EQ(pool.life_ns, 10 * kSecond);
  EXPECT_EQ(pool.threads, 2u);
  EXPECT_FALSE(pool.target);
  EXPECT_EQ(part.vertices[0].run_ns, kSecond / 4) << "that of the virtual thread alone";
  EXPECT_EQ(part.vertices[0].life_ns, 5 * kSecond);
  EXPECT_TRUE(part.vertices[0].target);
  EXPECT_THAT(part.edges, ::testing::IsEmpty());
}

}  // namespace
}  // namespace gordian
