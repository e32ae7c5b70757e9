// SPDX-License-Identifier: Apache-2.0
// The job's computation for each vertex. In every superstep
//
//   gather    each worker combines, for every target, what its own edges carry there
//   exchange  … and the target's owner combines what all workers sent
//   compute   the vertex takes a new value from that
//   scatter   … and decides what it gives to its edges in the next superstep: its share
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "examples/bsp/graph.h"
#include "examples/bsp/partition.h"

namespace bsp {

// The report of all vertices to the coordinator at the end of a superstep.
struct Totals {
  double dangling = 0;             // the values of vertices without edges, which they give to all
  uint64_t changed = 0;            // vertices whose value is another than before
  uint64_t left_for_exchange = 0;  // batches of messages that were handled only then
};

class Algorithm {
 public:
  virtual ~Algorithm() = default;

  virtual double InitialValue(Vertex vertex, Vertex vertices) const = 0;
  // The gathered value of a vertex without messages.
  virtual double Nothing() const = 0;
  virtual double GatherOver(std::span<const LocalEdge> edges, const double* shares) const = 0;
  // Called by several threads for one vertex.
  virtual void CombineInto(std::atomic<double>& gathered, double value) const = 0;
  virtual double Compute(Vertex vertex, double value, double gathered, const Totals& before,
                         Vertex vertices) const = 0;
  // The value that each of the vertex's edges carries next.
  virtual double Share(double value, bool changed, uint32_t edges) const = 0;
  // Whether no superstep could change anything any more.
  virtual bool IsDone(const Totals& totals) const = 0;

  // Compares the result with the properties it must have. Returns the error, or an empty text.
  virtual std::string Check(const Graph& graph, std::span<const double> values,
                            bool done) const = 0;
};

// The chance to be at a vertex after a long random walk. Checked: the chances sum up to 1.
std::unique_ptr<Algorithm> PageRank();
// The length of the shortest path from `source`. Checked: against Dijkstra's algorithm.
std::unique_ptr<Algorithm> ShortestPaths(Vertex source);

// The lengths that ShortestPaths must find; infinity without a path.
std::vector<double> Dijkstra(const Graph& graph, Vertex source);

}  // namespace bsp
