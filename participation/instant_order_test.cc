// SPDX-License-Identifier: Apache-2.0
#include "participation/instant_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

namespace gordian {
namespace {

constexpr uint32_t kPoints = 6;

// Which points lead to which along the edges, by trying all.
std::array<std::array<bool, kPoints>, kPoints> Reached(const std::vector<InstantEdge>& edges) {
  std::array<std::array<bool, kPoints>, kPoints> reached{};
  for (const InstantEdge& edge : edges) reached[edge.src][edge.dst] = true;
  for (uint32_t via = 0; via < kPoints; ++via)
    for (uint32_t from = 0; from < kPoints; ++from)
      for (uint32_t to = 0; to < kPoints; ++to)
        reached[from][to] |= reached[from][via] && reached[via][to];
  return reached;
}

TEST(InstantOrder, PutsCausesBeforeEffectsAndRemovesExactlyTheCircles) {
  std::mt19937 random(1);
  for (int round = 0; round < 5'000; ++round) {
    std::vector<InstantEdge> edges(1 + random() % 8);
    for (uint32_t i = 0; i < edges.size(); ++i)
      edges[i] = {static_cast<uint32_t>(random() % kPoints),
                  static_cast<uint32_t>(random() % kPoints), i};
    const auto reached = Reached(edges);
    std::vector<bool> in_circle;
    in_circle.reserve(edges.size());
    for (const InstantEdge& edge : edges)
      in_circle.push_back(edge.src == edge.dst || reached[edge.dst][edge.src]);

    std::vector<InstantEdge> ordered = edges;
    const uint64_t removed = OrderInstantEdges(ordered);
    EXPECT_EQ(removed, std::count(in_circle.begin(), in_circle.end(), true));
    ASSERT_EQ(ordered.size() + removed, edges.size());
    for (size_t i = 0; i < ordered.size(); ++i) {
      EXPECT_FALSE(in_circle[ordered[i].edge]);
      for (size_t later = i; later < ordered.size(); ++later)
        EXPECT_NE(ordered[later].dst, ordered[i].src) << "an edge to a point behind one from it";
    }
  }
}

TEST(InstantOrder, TakesLongChainsInAnyOrder) {
  std::vector<InstantEdge> edges;
  for (uint32_t i = 0; i < 200'000; ++i) edges.push_back({i, i + 1, i});
  std::shuffle(edges.begin(), edges.end(), std::mt19937(2));
  EXPECT_EQ(OrderInstantEdges(edges), 0u);
  for (uint32_t i = 0; i < edges.size(); ++i) ASSERT_EQ(edges[i].src, i);
}

}  // namespace
}  // namespace gordian
