// What the job computes for each vertex. In every superstep
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

// What all vertices together tell the coordinator at the end of a superstep.
struct Totals {
  double dangling = 0;             // the values of vertices without edges, which they give to all
  uint64_t changed = 0;            // vertices whose value is another than before
  uint64_t left_for_exchange = 0;  // batches of messages that were handled only then
};

class Algorithm {
 public:
  virtual ~Algorithm() = default;

  virtual double InitialValue(Vertex vertex, Vertex vertices) const = 0;
  // What a vertex has gathered that nothing was sent to.
  virtual double Nothing() const = 0;
  virtual double GatherOver(std::span<const LocalEdge> edges, const double* shares) const = 0;
  // Called by several threads for one vertex.
  virtual void CombineInto(std::atomic<double>& gathered, double value) const = 0;
  virtual double Compute(Vertex vertex, double value, double gathered, const Totals& before,
                         Vertex vertices) const = 0;
  // What each of the vertex's edges carries next.
  virtual double Share(double value, bool changed, uint32_t edges) const = 0;
  // No superstep could change anything any more.
  virtual bool IsDone(const Totals& totals) const = 0;

  // Compares the result with what must hold; empty, or what is wrong.
  virtual std::string Check(const Graph& graph, std::span<const double> values,
                            bool done) const = 0;
};

// The chance to be at a vertex after a long random walk. Checked: the chances sum up to 1.
std::unique_ptr<Algorithm> PageRank();
// The length of the shortest path from `source`. Checked: against Dijkstra's algorithm.
std::unique_ptr<Algorithm> ShortestPaths(Vertex source);

// What ShortestPaths must find; infinity where no path leads.
std::vector<double> Dijkstra(const Graph& graph, Vertex source);

}  // namespace bsp
