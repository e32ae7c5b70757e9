// SPDX-License-Identifier: Apache-2.0
// Knots of a weighted graph: sets of vertices that wait for each other and for no other vertex.
//
// Plain graph theory: the caller decides the meaning of a vertex and of an edge's weight.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace gordian {

struct KnotEdge {
  uint32_t from = 0;
  uint32_t to = 0;
  uint64_t weight = 0;
  // False: too little of the waiter's own time to hold it back, even if many wait behind it.
  bool matters = true;
  uint32_t label = 0;  // the caller's own, kept
};

// The strongly connected sets: in each, every vertex waits for every other, directly or through
// others.
struct Components {
  std::vector<uint32_t> component_of;          // by vertex
  std::vector<std::vector<uint32_t>> members;  // by component, ascending
};
Components StrongComponents(uint32_t vertex_count, std::span<const KnotEdge> edges);

struct RefineOptions {
  // Refinement stops where every remaining edge weighs more than this...
  uint64_t threshold = 0;
  // ... except that it goes on while a knot has more vertices than this; 0: any number will do.
  uint32_t max_vertices = 0;
  // Whether to keep each removal and each split.
  bool explain = false;
};

// A result of refinement: a knot with the edges left in it, or, without edges, a sink.
struct RefinedPiece {
  std::vector<uint32_t> vertices;  // ascending
  std::vector<KnotEdge> edges;     // heaviest first
};

struct RefineStep {
  enum class Action : uint8_t {
    kRemoved,         // the edge, the lightest of its knot
    kSplit,           // the knot fell apart; `vertices` is one part that waits for no other
    kCut,             // the edge of a simple cycle, because it does not matter
    kSingle,          // stopped: one vertex is left
    kCycle,           // stopped: a simple cycle, and every edge of it matters
    kAboveThreshold,  // stopped: every edge left is heavier than the threshold
    kEqualWeights,    // stopped: all edges weigh the same
  };
  Action action = Action::kRemoved;
  KnotEdge edge;                   // kRemoved, kCut
  std::vector<uint32_t> vertices;  // the others
};

struct Refinement {
  std::vector<RefinedPiece> pieces;  // disjoint, ordered by their first vertex
  std::vector<RefineStep> steps;     // in the order of the removals
  uint64_t edge_visits = 0;          // how often an edge was looked at: the work it took
};

// Refines one strongly connected graph of the vertices 0 … vertex_count - 1. It drops the lightest
// edge until the graph falls apart, and goes on with each part that waits for no other part. It
// stops at a single vertex, at a simple cycle whose every edge matters, or at the threshold. A
// simple cycle with edges that do not matter is cut there: vertices that then wait for no other are
// sinks.
//
// Edges of equal weight go together, so that the outcome does not depend on the order of the
// vertices. If that would leave no edge at all, they stay.
Refinement Refine(uint32_t vertex_count, std::span<const KnotEdge> edges,
                  const RefineOptions& options);

}  // namespace gordian
