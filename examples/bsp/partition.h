// SPDX-License-Identifier: Apache-2.0
// The part of the graph that each worker has.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "examples/bsp/graph.h"

namespace bsp {

using WorkerId = uint16_t;

// The owner of each vertex such that all have about as many edges: the vertices with the most edges
// first, each to the worker that has the least so far.
std::vector<WorkerId> PartitionByEdges(const Graph& graph, WorkerId workers);

// The same number of vertices for each, in order of their numbers. Simple, and skewed: in a graph
// as ours the first worker gets most of the edges.
std::vector<WorkerId> PartitionByNumber(const Graph& graph, WorkerId workers);

// An edge of a part, seen from the vertex it leads to.
struct LocalEdge {
  Vertex from = 0;
  uint32_t length = 0;
};

// The part of one worker: its vertices and the edges that leave them. The edges are kept by the
// vertex they lead to, a `target`, even if another worker owns that: the worker gathers for each
// target over all of its own edges, and then has one number to send.
struct Part {
  std::vector<Vertex> owned;
  std::vector<Vertex> targets;
  std::vector<uint32_t> first_edge;  // of each target; one more at the end
  std::vector<LocalEdge> edges;

  std::span<const LocalEdge> EdgesTo(size_t target) const {
    return std::span(edges).subspan(first_edge[target],
                                    first_edge[target + 1] - first_edge[target]);
  }
};

std::vector<Part> Split(const Graph& graph, std::span<const WorkerId> owners, WorkerId workers);

}  // namespace bsp
