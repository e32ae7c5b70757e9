// SPDX-License-Identifier: Apache-2.0
#include "analyzer/knots/knots.h"

#include <gmock/gmock.h>

#include <random>

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Action = RefineStep::Action;

constexpr uint32_t kA = 0, kB = 1, kC = 2, kD = 3;

std::vector<Action> Actions(const Refinement& refinement) {
  std::vector<Action> actions;
  for (const RefineStep& step : refinement.steps) actions.push_back(step.action);
  return actions;
}

TEST(StrongComponents, AreNumberedByTheirFirstVertex) {
  const std::vector<KnotEdge> edges = {{kA, kB, 1}, {kB, kD, 1}, {kD, kB, 1}, {kC, kA, 1}};
  const Components components = StrongComponents(4, edges);
  EXPECT_THAT(components.component_of, ElementsAre(0, 1, 2, 1));
  EXPECT_THAT(components.members,
              ElementsAre(ElementsAre(kA), ElementsAre(kB, kD), ElementsAre(kC)));
}

TEST(Refine, APureCycleComesBackWhole) {
  const std::vector<KnotEdge> edges = {{kA, kB, 9}, {kB, kC, 9}, {kC, kA, 9}};
  const Refinement refinement = Refine(3, edges, {.threshold = 20});
  ASSERT_THAT(refinement.pieces, SizeIs(1));
  EXPECT_THAT(refinement.pieces[0].vertices, ElementsAre(kA, kB, kC));
  EXPECT_THAT(refinement.pieces[0].edges, SizeIs(3));
}

TEST(Refine, TheLightestEdgesGoUntilTheKnotFallsApart) {
  // A waits for B, B and C for each other; B's rare wait for A closed the large circle.
  const std::vector<KnotEdge> edges = {{kA, kB, 80}, {kB, kA, 2}, {kB, kC, 100}, {kC, kB, 50}};
  const Refinement refinement = Refine(3, edges, {.threshold = 60, .explain = true});
  ASSERT_THAT(refinement.pieces, SizeIs(1));
  EXPECT_THAT(refinement.pieces[0].vertices, ElementsAre(kB, kC));
  EXPECT_EQ(refinement.pieces[0].edges[0].weight, 100);
  EXPECT_THAT(Actions(refinement), ElementsAre(Action::kRemoved, Action::kSplit, Action::kCycle));
}

TEST(Refine, AnEdgeThatDoesNotMatterIsCutAndItsWaiterIsASink) {
  const std::vector<KnotEdge> edges = {{kA, kB, 80}, {kB, kA, 90, false}};
  const Refinement refinement = Refine(2, edges, {.threshold = 100, .explain = true});
  ASSERT_THAT(refinement.pieces, SizeIs(1));
  EXPECT_THAT(refinement.pieces[0].vertices, ElementsAre(kB));
  EXPECT_THAT(refinement.pieces[0].edges, IsEmpty());
  EXPECT_THAT(Actions(refinement), ElementsAre(Action::kCut));
}

TEST(Refine, StopsWhereEveryEdgeIsAboveTheThreshold) {
  const std::vector<KnotEdge> edges = {
      {kA, kB, 30}, {kB, kA, 31}, {kB, kC, 32}, {kC, kB, 33}, {kC, kA, 5}};
  const Refinement refinement = Refine(3, edges, {.threshold = 20, .explain = true});
  ASSERT_THAT(refinement.pieces, SizeIs(1));
  EXPECT_THAT(refinement.pieces[0].vertices, ElementsAre(kA, kB, kC));
  EXPECT_THAT(refinement.pieces[0].edges, SizeIs(4));
  EXPECT_THAT(Actions(refinement), ElementsAre(Action::kRemoved, Action::kAboveThreshold));
}

TEST(Refine, GoesOnAboveTheThresholdWhileAKnotIsTooLarge) {
  const std::vector<KnotEdge> edges = {{kA, kB, 30}, {kB, kA, 31}, {kB, kC, 32}, {kC, kB, 33}};
  const Refinement refinement = Refine(3, edges, {.threshold = 20, .max_vertices = 2});
  ASSERT_THAT(refinement.pieces, SizeIs(1));
  EXPECT_THAT(refinement.pieces[0].vertices, ElementsAre(kA));
  EXPECT_THAT(refinement.pieces[0].edges, IsEmpty());
}

TEST(Refine, EdgesThatNothingTellsApartStay) {
  const std::vector<KnotEdge> edges = {{kA, kB, 9}, {kB, kA, 9}, {kB, kC, 9}, {kC, kB, 9}};
  const Refinement refinement = Refine(3, edges, {.threshold = 20, .explain = true});
  ASSERT_THAT(refinement.pieces, SizeIs(1));
  EXPECT_THAT(refinement.pieces[0].edges, SizeIs(4));
  EXPECT_THAT(Actions(refinement), ElementsAre(Action::kEqualWeights));
}

TEST(Refine, AGroupThatContendsWithItselfStaysAKnotOfOne) {
  const std::vector<KnotEdge> edges = {{kA, kA, 300}, {kA, kB, 12}, {kB, kA, 15}};
  const Refinement refinement = Refine(2, edges, {.threshold = 20});
  ASSERT_THAT(refinement.pieces, SizeIs(1));
  EXPECT_THAT(refinement.pieces[0].vertices, ElementsAre(kA));
  EXPECT_THAT(refinement.pieces[0].edges, SizeIs(1));
}

TEST(Refine, ALightSelfLoopMakesNoKnot) {
  const std::vector<KnotEdge> edges = {{kA, kA, 10}};
  const Refinement refinement = Refine(1, edges, {.threshold = 20});
  ASSERT_THAT(refinement.pieces, SizeIs(1));
  EXPECT_THAT(refinement.pieces[0].edges, IsEmpty());
}

TEST(Refine, TwoPartsThatWaitForNoOtherAreBothReported) {
  const std::vector<KnotEdge> edges = {{kA, kB, 50}, {kB, kA, 51}, {kC, kD, 60},
                                       {kD, kC, 61}, {kB, kC, 1},  {kD, kA, 1}};
  const Refinement refinement = Refine(4, edges, {.threshold = 20});
  ASSERT_THAT(refinement.pieces, SizeIs(2));
  EXPECT_THAT(refinement.pieces[0].vertices, ElementsAre(kA, kB));
  EXPECT_THAT(refinement.pieces[1].vertices, ElementsAre(kC, kD));
}

// The work, counted and not timed: edges × the logarithm of their number, for any shape.
uint64_t AllowedVisits(size_t edges) {
  uint64_t log2 = 1;
  while ((1ull << log2) < edges) ++log2;
  return edges * (log2 + 4);
}

TEST(RefineWork, OfADenseGraphOf2000VerticesGrowsWithItsEdges) {
  constexpr uint32_t kVertices = 2000;
  std::mt19937 random(7);
  std::vector<KnotEdge> edges;
  for (uint32_t from = 0; from < kVertices; ++from) {
    for (uint32_t to = 0; to < kVertices; to += 4) {
      edges.push_back({from, (to + from) % kVertices, 1 + random() % 1'000'000'000});
    }
  }
  const Refinement refinement = Refine(kVertices, edges, {.threshold = 2'000'000'000});
  EXPECT_THAT(refinement.pieces, testing::Not(IsEmpty()));
  EXPECT_LT(refinement.edge_visits, AllowedVisits(edges.size()));
}

TEST(RefineWork, OfAGraphThatLosesOneVertexAtATimeGrowsWithItsEdges) {
  // Vertex i hangs on all before it and they on it, the lighter the later: 2,000 splits.
  constexpr uint32_t kVertices = 2000;
  std::vector<KnotEdge> edges;
  for (uint32_t vertex = 1; vertex < kVertices; ++vertex) {
    const uint64_t weight = (kVertices - vertex) * 2;
    for (uint32_t before = 0; before < vertex; before += 1 + vertex / 50) {
      edges.push_back({vertex, before, weight + 1});
      edges.push_back({before, vertex, weight});
    }
  }
  const Refinement refinement = Refine(kVertices, edges, {.threshold = 1'000'000, .explain = true});
  ASSERT_THAT(refinement.pieces, SizeIs(1));
  EXPECT_LE(refinement.pieces[0].vertices.size(), 2);
  EXPECT_LT(refinement.edge_visits, AllowedVisits(edges.size()));
}

}  // namespace
}  // namespace gordian
