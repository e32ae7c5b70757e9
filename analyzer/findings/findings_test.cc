// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/findings.h"

#include <gmock/gmock.h>

#include "analyzer/findings/evidence/words.h"
#include "analyzer/findings/graph_table.h"

namespace gordian {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

GraphTable Figure1() { return ReadGraphTable(std::string(GORDIAN_GRAPHS) + "/figure1.graph"); }

TEST(Report, HoldsTheWholeGraph) {
  GraphTable table = Figure1();
  table.graph.cpus = 2;
  table.graph.lost = 3;
  table.options.recording.set_name("figure1");
  const pb::Report report = MergeAndJudge(table).value();
  EXPECT_EQ(report.recording().name(), "figure1");
  EXPECT_DOUBLE_EQ(report.recording().seconds(), 10);
  EXPECT_EQ(report.recording().cpus(), 2);
  EXPECT_EQ(report.recording().lost(), 3);
  ASSERT_EQ(report.threads_size(), 2);
  EXPECT_EQ(report.threads(1).name(), "B");
  EXPECT_EQ(report.threads(1).pid(), 100);
  EXPECT_DOUBLE_EQ(report.threads(1).run_s(), 5);
  EXPECT_TRUE(report.threads(1).target());
  ASSERT_EQ(report.vertices_size(), 3);
  const pb::ReportVertex& b = report.vertices(static_cast<int>(report.threads(1).vertex()));
  EXPECT_EQ(b.name(), "B");
  EXPECT_EQ(b.kind(), "thread");
  EXPECT_THAT(b.members(), ElementsAre(1));
  EXPECT_EQ(report.vertices(2).kind(), "disk");
  EXPECT_DOUBLE_EQ(report.vertices(2).busy_s(), 5);
  ASSERT_EQ(report.edges_size(), 3);
  EXPECT_DOUBLE_EQ(report.edges(1).weight_s(), 10);
  EXPECT_DOUBLE_EQ(report.edges(1).own_s(), 5);
  EXPECT_EQ(report.edges(1).count(), 1000);
}

TEST(Report, ANamedTargetThatIsNotThereIsAnError) {
  GraphTable table = Figure1();
  table.options.target_pids = {4711};
  const absl::Status status = MergeAndJudge(table).status();
  EXPECT_TRUE(absl::IsNotFound(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("process 4711"));
  table.options.target_pids = {1002};
  const pb::Report report = MergeAndJudge(table).value();
  EXPECT_EQ(report.scope().chosen_by(), "option");
  EXPECT_FALSE(report.threads(0).target());
}

TEST(Report, ANamedProcessBringsItsDescendants) {
  GraphTable table = Figure1();
  Entity& a = table.graph.entities[0];
  Entity& b = table.graph.entities[1];
  a.tgid = a.tid;
  b.tgid = b.tid;
  b.parent_tid = a.tid;
  table.options.target_pids = {a.tid};
  const pb::Report of_parent = MergeAndJudge(table).value();
  EXPECT_TRUE(of_parent.threads(0).target());
  EXPECT_TRUE(of_parent.threads(1).target());
  table.options.target_pids = {b.tid};
  const pb::Report of_child = MergeAndJudge(table).value();
  EXPECT_FALSE(of_child.threads(0).target());
  EXPECT_TRUE(of_child.threads(1).target());
}

TEST(Report, AnEmptyRecordingHasNoFindings) {
  const pb::Report report = Judge({}, {}, {});
  EXPECT_EQ(report.findings_size(), 0);
  EXPECT_THAT(report.verdict(), HasSubstr("no work"));
}

TEST(Report, NamesThatAreNoTextBecomeText) {
  GraphTable table = Figure1();
  table.graph.entities[1].name = "B\x1b[31m\xff";
  const pb::Report report = MergeAndJudge(table).value();
  EXPECT_EQ(report.threads(1).name(), "B\uFFFD[31m\uFFFD");
  EXPECT_THAT(report.findings(0).title(), HasSubstr("B\uFFFD[31m\uFFFD and the disk vda"));
}

TEST(Report, AJobThatRunsForAPartOfTheRecordingIsToBeStartedEarlier) {
  GraphTable table = ReadGraphTable(std::string(GORDIAN_GRAPHS) + "/long_job.graph");
  ASSERT_EQ(table.error, "");
  Entity& job = table.graph.entities[0];
  const pb::Finding always_there = MergeAndJudge(table).value().findings(0);
  EXPECT_THAT(always_there.doubts(), Contains(HasSubstr("its work does not explain the rest")));
  EXPECT_THAT(always_there.advice(), Not(Contains(HasSubstr("start it first"))));

  job.begin_ns = table.graph.end_ns - job.run_ns;
  job.end_ns = table.graph.end_ns;
  job.wait_ns = 0;
  const pb::Finding late = MergeAndJudge(table).value().findings(0);
  EXPECT_EQ(late.kind(), "sink");
  EXPECT_THAT(late.why(), Contains(HasSubstr("It was there for only 65 % of the recording")));
  EXPECT_THAT(late.advice(), Contains(HasSubstr("start it first")));
  EXPECT_THAT(late.doubts(), Not(Contains(HasSubstr("its work does not explain the rest"))));
}

TEST(Words, SayListsPlainly) {
  EXPECT_EQ(Enumerate({"A"}), "A");
  EXPECT_EQ(Enumerate({"A", "B", "C"}), "A, B and C");
  EXPECT_EQ(Enumerate({"A", "B", "C", "D", "E", "F"}), "A, B, C, D and 2 others");
}

TEST(Words, ThreadsOfOneNameAreToldTogetherWhereAllAreNamed) {
  MergedGraph graph;
  graph.vertices.resize(5);
  graph.vertices[0] = {.kind = VertexKind::kGroup, .name = "server", .threads = 3};
  graph.vertices[1] = {.kind = VertexKind::kThread, .name = "client", .tid = 7, .threads = 1};
  graph.vertices[2] = {.kind = VertexKind::kThread, .name = "server", .tid = 8, .threads = 1};
  graph.vertices[3] = {.kind = VertexKind::kThread, .name = "client", .tid = 9, .threads = 1};
  graph.vertices[4] = {.kind = VertexKind::kDisk, .name = "vda"};
  const VertexWords words(graph);
  EXPECT_EQ(words.of_all({0, 1, 2}), "server (3 threads), client/7 and server/8");
  EXPECT_EQ(words.of_all_by_name({0, 1, 2}), "server (4 threads) and client/7");
  EXPECT_EQ(words.of_all_by_name({1, 3, 4}), "client (2 threads) and the disk vda");
}

}  // namespace
}  // namespace gordian
