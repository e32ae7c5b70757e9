// SPDX-License-Identifier: Apache-2.0
#include "examples/bsp/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "examples/bsp/partition.h"

namespace bsp {
namespace {

using ::testing::Each;
using ::testing::Field;
using ::testing::Lt;

TEST(Graph, IsTheSameForTheSameSeedAndAnotherForAnother) {
  const Graph graph = GenerateRmat(1000, 8, 7);
  EXPECT_EQ(graph.edges.size(), 8000u);
  EXPECT_EQ(graph.edges, GenerateRmat(1000, 8, 7).edges);
  EXPECT_NE(graph.edges, GenerateRmat(1000, 8, 8).edges);
}

// Partitions and recorded runs can be compared between machines.
TEST(Graph, IsTheSameOnEveryMachine) {
  const Graph graph = GenerateRmat(1000, 8, 7);
  uint64_t sum = 0;
  for (const Edge& edge : graph.edges) sum = sum * 31 + edge.from * 1000 + edge.to;
  EXPECT_EQ(sum, 18404329865739347785u);
}

TEST(Graph, HasNoVertexBeyondTheLast) {
  for (const Vertex vertices : {1u, 2u, 3u, 100u, 129u}) {
    const Graph graph = GenerateRmat(vertices, 4, 1);
    EXPECT_EQ(graph.edges.size(), 4 * vertices);
    EXPECT_THAT(graph.edges, Each(Field(&Edge::from, Lt(vertices))));
    EXPECT_THAT(graph.edges, Each(Field(&Edge::to, Lt(vertices))));
  }
}

TEST(Graph, HasFewVerticesWithManyEdges) {
  std::vector<uint32_t> degrees = OutDegrees(GenerateRmat(1 << 12, 16, 1));
  std::sort(degrees.rbegin(), degrees.rend());
  const uint32_t top = std::accumulate(degrees.begin(), degrees.begin() + 41, 0u);  // 1 percent
  EXPECT_GT(top, 16u * (1 << 12) / 10);
}

TEST(Graph, LengthsAreOneToEight) {
  for (Vertex vertex = 0; vertex < 1000; ++vertex) {
    const uint32_t length = LengthOf({vertex, vertex * 7});
    EXPECT_GE(length, 1u);
    EXPECT_LE(length, 8u);
  }
}

std::vector<uint64_t> EdgesOf(const std::vector<Part>& parts) {
  std::vector<uint64_t> edges;
  edges.reserve(parts.size());
  for (const Part& part : parts) edges.push_back(part.edges.size());
  return edges;
}

TEST(Partition, ByEdgesGivesAllAboutTheSame) {
  const Graph graph = GenerateRmat(1 << 12, 16, 1);
  const std::vector<Part> parts = Split(graph, PartitionByEdges(graph, 4), 4);
  const uint64_t mean = graph.edges.size() / 4;
  for (const uint64_t edges : EdgesOf(parts)) {
    EXPECT_GT(edges, mean * 97 / 100);
    EXPECT_LT(edges, mean * 103 / 100);
  }
}

TEST(Partition, ByNumberGivesTheFirstMostEdges) {
  const Graph graph = GenerateRmat(1 << 12, 16, 1);
  const std::vector<Part> parts = Split(graph, PartitionByNumber(graph, 4), 4);
  for (const Part& part : parts) EXPECT_EQ(part.owned.size(), 1u << 10);
  EXPECT_GT(EdgesOf(parts)[0], graph.edges.size() / 2);
}

TEST(Partition, SplitKeepsEveryEdgeOnceAtTheWorkerWhereItBegins) {
  const Graph graph = GenerateRmat(500, 8, 3);
  const std::vector<WorkerId> owners = PartitionByEdges(graph, 3);
  const std::vector<Part> parts = Split(graph, owners, 3);
  using Row = std::tuple<Vertex, Vertex, uint32_t>;
  std::vector<Row> found;
  std::vector<Row> expected;
  for (WorkerId worker = 0; worker < 3; ++worker) {
    const Part& part = parts[worker];
    for (size_t target = 0; target < part.targets.size(); ++target) {
      EXPECT_FALSE(part.EdgesTo(target).empty());
      for (const LocalEdge& edge : part.EdgesTo(target)) {
        EXPECT_EQ(owners[edge.from], worker);
        found.emplace_back(edge.from, part.targets[target], edge.length);
      }
    }
  }
  for (const Edge& edge : graph.edges) expected.emplace_back(edge.from, edge.to, LengthOf(edge));
  EXPECT_THAT(found, ::testing::UnorderedElementsAreArray(expected));
}

TEST(Partition, AWorkerMayHaveNothing) {
  const Graph graph = GenerateRmat(2, 1, 1);
  const std::vector<Part> parts = Split(graph, PartitionByNumber(graph, 4), 4);
  EXPECT_TRUE(parts[1].owned.empty());
  EXPECT_TRUE(parts[1].targets.empty());
}

}  // namespace
}  // namespace bsp
