// SPDX-License-Identifier: Apache-2.0
#include "examples/bsp/algorithm.h"

#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

namespace bsp {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class PageRankAlgorithm : public Algorithm {
 public:
  double InitialValue(Vertex, Vertex vertices) const override { return 1.0 / vertices; }
  double Nothing() const override { return 0; }

  double GatherOver(std::span<const LocalEdge> edges, const double* shares) const override {
    double sum = 0;
    for (const LocalEdge& edge : edges) sum += shares[edge.from];
    return sum;
  }

  void CombineInto(std::atomic<double>& gathered, double value) const override {
    gathered.fetch_add(value, std::memory_order_relaxed);
  }

  double Compute(Vertex, double, double gathered, const Totals& before,
                 Vertex vertices) const override {
    return (1 - kDamping) / vertices + kDamping * (gathered + before.dangling / vertices);
  }

  double Share(double value, bool, uint32_t edges) const override {
    return edges == 0 ? 0 : value / edges;
  }
  bool IsDone(const Totals& totals) const override { return totals.changed == 0; }

  std::string Check(const Graph&, std::span<const double> values, bool) const override {
    double sum = 0;
    for (const double value : values) sum += value;
    if (std::abs(sum - 1) < 1e-9) return "";
    return "the ranks sum up to " + std::to_string(sum) + " instead of 1";
  }

 private:
  static constexpr double kDamping = 0.85;
};

class ShortestPathsAlgorithm : public Algorithm {
 public:
  explicit ShortestPathsAlgorithm(Vertex source) : source_(source) {}

  double InitialValue(Vertex vertex, Vertex) const override {
    return vertex == source_ ? 0 : kInfinity;
  }
  double Nothing() const override { return kInfinity; }

  double GatherOver(std::span<const LocalEdge> edges, const double* shares) const override {
    double shortest = kInfinity;
    for (const LocalEdge& edge : edges) {
      shortest = std::min(shortest, shares[edge.from] + edge.length);
    }
    return shortest;
  }

  void CombineInto(std::atomic<double>& gathered, double value) const override {
    double shortest = gathered.load(std::memory_order_relaxed);
    while (value < shortest &&
           !gathered.compare_exchange_weak(shortest, value, std::memory_order_relaxed)) {
    }
  }

  double Compute(Vertex, double value, double gathered, const Totals&, Vertex) const override {
    return std::min(value, gathered);
  }
  // Only a vertex that came closer has news.
  double Share(double value, bool changed, uint32_t) const override {
    return changed ? value : kInfinity;
  }
  bool IsDone(const Totals& totals) const override { return totals.changed == 0; }

  std::string Check(const Graph& graph, std::span<const double> values, bool done) const override {
    const std::vector<double> expected = Dijkstra(graph, source_);
    for (Vertex vertex = 0; vertex < graph.vertices; ++vertex) {
      // A path of many edges may not have been found yet.
      const bool right =
          done ? values[vertex] == expected[vertex] : values[vertex] >= expected[vertex];
      if (right) continue;
      return "the path to vertex " + std::to_string(vertex) + " has length " +
             std::to_string(values[vertex]) + " instead of " + std::to_string(expected[vertex]);
    }
    return "";
  }

 private:
  const Vertex source_;
};

}  // namespace

std::unique_ptr<Algorithm> PageRank() { return std::make_unique<PageRankAlgorithm>(); }

std::unique_ptr<Algorithm> ShortestPaths(Vertex source) {
  return std::make_unique<ShortestPathsAlgorithm>(source);
}

std::vector<double> Dijkstra(const Graph& graph, Vertex source) {
  std::vector<std::vector<Edge>> edges_of(graph.vertices);
  for (const Edge& edge : graph.edges) edges_of[edge.from].push_back(edge);
  std::vector<double> length(graph.vertices, kInfinity);
  using Reached = std::pair<double, Vertex>;
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> next;
  length[source] = 0;
  next.push({0, source});
  while (!next.empty()) {
    const auto [reached, vertex] = next.top();
    next.pop();
    if (reached > length[vertex]) continue;  // a shorter path was found meanwhile
    for (const Edge& edge : edges_of[vertex]) {
      const double onward = reached + LengthOf(edge);
      if (onward >= length[edge.to]) continue;
      length[edge.to] = onward;
      next.push({onward, edge.to});
    }
  }
  return length;
}

}  // namespace bsp
