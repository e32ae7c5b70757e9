// SPDX-License-Identifier: Apache-2.0
// The graph that the job works on.
#pragma once

#include <cstdint>
#include <vector>

namespace bsp {

using Vertex = uint32_t;

struct Edge {
  Vertex from = 0;
  Vertex to = 0;
  bool operator==(const Edge&) const = default;
};

struct Graph {
  Vertex vertices = 0;
  std::vector<Edge> edges;
};

// An R-MAT graph: each edge falls, at every level, into one of the four quadrants of the adjacency
// matrix, with the chances 57, 19, 19 and 5 percent. Like graphs of people and pages, it has few
// vertices with very many edges; here those have low numbers. The same for the same arguments, on
// every machine. At least one vertex; edges may repeat or lead back to their vertex.
Graph GenerateRmat(Vertex vertices, uint32_t edges_per_vertex, uint64_t seed);

// The length of an edge for shortest paths, 1 to 8. Follows from the edge alone.
uint32_t LengthOf(Edge edge);

std::vector<uint32_t> OutDegrees(const Graph& graph);

}  // namespace bsp
