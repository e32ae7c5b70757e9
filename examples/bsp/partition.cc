// SPDX-License-Identifier: Apache-2.0
#include "examples/bsp/partition.h"

#include <algorithm>
#include <numeric>

namespace bsp {
namespace {

// Sorts a part's edges by target. Edges come in `edges`, which are all of one worker's.
void LayOut(std::span<const Edge> edges, Vertex vertices, Part& part) {
  std::vector<uint32_t> next_place(vertices + 1);
  for (const Edge& edge : edges) ++next_place[edge.to + 1];
  std::partial_sum(next_place.begin(), next_place.end(), next_place.begin());
  for (Vertex vertex = 0; vertex < vertices; ++vertex) {
    if (next_place[vertex] == next_place[vertex + 1]) continue;
    part.targets.push_back(vertex);
    part.first_edge.push_back(next_place[vertex]);
  }
  part.first_edge.push_back(static_cast<uint32_t>(edges.size()));
  part.edges.resize(edges.size());
  for (const Edge& edge : edges) {
    part.edges[next_place[edge.to]++] = {.from = edge.from, .length = LengthOf(edge)};
  }
}

}  // namespace

std::vector<WorkerId> PartitionByEdges(const Graph& graph, WorkerId workers) {
  const std::vector<uint32_t> degrees = OutDegrees(graph);
  std::vector<Vertex> order(graph.vertices);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](Vertex a, Vertex b) { return degrees[a] > degrees[b]; });
  std::vector<WorkerId> owners(graph.vertices);
  std::vector<uint64_t> load(workers);
  for (const Vertex vertex : order) {
    const auto least = std::min_element(load.begin(), load.end());
    owners[vertex] = static_cast<WorkerId>(least - load.begin());
    *least += degrees[vertex] + 1;  // a vertex is some work, too
  }
  return owners;
}

std::vector<WorkerId> PartitionByNumber(const Graph& graph, WorkerId workers) {
  std::vector<WorkerId> owners(graph.vertices);
  for (uint64_t vertex = 0; vertex < graph.vertices; ++vertex) {
    owners[vertex] = static_cast<WorkerId>(vertex * workers / graph.vertices);
  }
  return owners;
}

std::vector<Part> Split(const Graph& graph, std::span<const WorkerId> owners, WorkerId workers) {
  std::vector<Part> parts(workers);
  for (Vertex vertex = 0; vertex < graph.vertices; ++vertex) {
    parts[owners[vertex]].owned.push_back(vertex);
  }
  std::vector<std::vector<Edge>> edges(workers);
  for (const Edge& edge : graph.edges) edges[owners[edge.from]].push_back(edge);
  for (WorkerId worker = 0; worker < workers; ++worker) {
    LayOut(edges[worker], graph.vertices, parts[worker]);
  }
  return parts;
}

}  // namespace bsp
