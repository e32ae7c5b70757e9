// SPDX-License-Identifier: Apache-2.0
#include "analyzer/knots/strong_components.h"

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/strong_components.hpp>

#include "analyzer/knots/knots.h"

namespace gordian {

// Boost's search keeps its stack on the heap: a chain of any length does no harm.
std::vector<uint32_t> ComponentNumbers(uint32_t vertex_count,
                                       const std::vector<std::pair<uint32_t, uint32_t>>& edges) {
  using Graph =
      boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                         boost::no_property, uint32_t, uint32_t>;
  std::vector<uint32_t> component_of(vertex_count);
  if (vertex_count == 0) return component_of;
  const Graph graph(boost::edges_are_unsorted_multi_pass, edges.begin(), edges.end(), vertex_count);
  boost::strong_components(graph, boost::make_iterator_property_map(
                                      component_of.begin(), get(boost::vertex_index, graph)));
  return component_of;
}

Components StrongComponents(uint32_t vertex_count, std::span<const KnotEdge> edges) {
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  pairs.reserve(edges.size());
  for (const KnotEdge& edge : edges) pairs.emplace_back(edge.from, edge.to);

  // Renumbered by first vertex, so that the numbers do not depend on the search.
  Components result;
  result.component_of = ComponentNumbers(vertex_count, pairs);
  constexpr uint32_t kUnseen = 0xffffffff;
  std::vector<uint32_t> renumbered(vertex_count, kUnseen);
  for (uint32_t vertex = 0; vertex < vertex_count; ++vertex) {
    uint32_t& number = renumbered[result.component_of[vertex]];
    if (number == kUnseen) {
      number = static_cast<uint32_t>(result.members.size());
      result.members.emplace_back();
    }
    result.component_of[vertex] = number;
    result.members[number].push_back(vertex);
  }
  return result;
}

}  // namespace gordian
