// SPDX-License-Identifier: Apache-2.0
#include "examples/bsp/graph.h"

#include <bit>
#include <random>

namespace bsp {
namespace {

// Chances as parts of 2^32, of the quadrants in the order they are tried.
constexpr uint64_t kWhole = uint64_t{1} << 32;
constexpr uint64_t kUpperLeft = kWhole * 57 / 100;
constexpr uint64_t kUpperRight = kUpperLeft + kWhole * 19 / 100;
constexpr uint64_t kLowerLeft = kUpperRight + kWhole * 19 / 100;

// Two levels for each number drawn: numbers have 64 bits, a level needs 32.
Edge DrawEdge(int levels, std::mt19937_64& random) {
  Edge edge;
  uint64_t drawn = 0;
  for (int level = 0; level < levels; ++level) {
    drawn = level % 2 == 0 ? random() : drawn >> 32;
    const uint64_t chance = drawn & (kWhole - 1);
    const bool lower = chance >= kUpperRight;
    const bool right = lower ? chance >= kLowerLeft : chance >= kUpperLeft;
    edge.from = edge.from << 1 | static_cast<Vertex>(lower);
    edge.to = edge.to << 1 | static_cast<Vertex>(right);
  }
  return edge;
}

}  // namespace

Graph GenerateRmat(Vertex vertices, uint32_t edges_per_vertex, uint64_t seed) {
  const int levels = std::bit_width(vertices - 1);
  std::mt19937_64 random(seed);
  Graph graph{.vertices = vertices};
  const uint64_t edges = uint64_t{vertices} * edges_per_vertex;
  graph.edges.reserve(edges);
  // The matrix has a power of two of rows; edges beyond the last vertex are drawn again. As low
  // numbers are likelier, more than every fourth stays.
  while (graph.edges.size() < edges) {
    const Edge edge = DrawEdge(levels, random);
    if (edge.from < vertices && edge.to < vertices) graph.edges.push_back(edge);
  }
  return graph;
}

uint32_t LengthOf(Edge edge) {
  const uint64_t mixed = (uint64_t{edge.from} << 32 | edge.to) * 0x9E3779B97F4A7C15u;
  return 1 + static_cast<uint32_t>(mixed >> 61);
}

std::vector<uint32_t> OutDegrees(const Graph& graph) {
  std::vector<uint32_t> degrees(graph.vertices);
  for (const Edge& edge : graph.edges) ++degrees[edge.from];
  return degrees;
}

}  // namespace bsp
