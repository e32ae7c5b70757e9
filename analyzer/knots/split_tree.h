// SPDX-License-Identifier: Apache-2.0
// How a strongly connected graph falls apart while its edges are dropped from the lightest on.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/knots/knots.h"

namespace gordian {

// Each distinct weight has a rank, the heaviest 0. Dropping ranks from the last to the first splits
// the graph into ever smaller strongly connected sets: a tree whose root is the whole graph and
// whose leaves are the vertices.
//
// The obvious way, to search for components again after each dropped edge, costs the number of
// edges squared. Here the tree is built by halving the ranks: with the edges up to the middle rank
// alone, some vertices are strongly connected already. The edges within such sets decide when those
// formed and go to the lower half; the edges between them, with each set drawn together into one
// vertex, go to the upper half. An edge lighter than the middle whose ends are already joined can
// join nothing and is dropped. So each edge is in one list per level and the work is
// edges × log2(ranks). It ends because each half has fewer ranks, and one rank needs no halving.
class SplitTree {
 public:
  // An edge between two children of one node.
  struct CrossEdge {
    uint32_t from_node;
    uint32_t to_node;
    uint32_t edge;  // index into the edges
  };
  struct Node {
    uint32_t rank = 0;  // the set falls apart when the edges of this rank go
    std::vector<uint32_t> children;
    std::vector<CrossEdge> edges;  // of this rank or heavier, between the children
    uint32_t first = 0;            // its vertices: order()[first … first + size)
    uint32_t size = 1;
  };

  // `edges` must outlive the tree, and join all vertices strongly.
  SplitTree(uint32_t vertex_count, std::span<const KnotEdge> edges);

  uint32_t root() const { return static_cast<uint32_t>(nodes_.size() - 1); }
  // Nodes below vertex_count are the vertices themselves.
  const Node& node(uint32_t index) const { return nodes_[index]; }
  bool is_vertex(uint32_t index) const { return index < vertex_count_; }
  size_t node_count() const { return nodes_.size(); }
  std::span<const uint32_t> vertices(uint32_t index) const {
    return std::span(order_).subspan(nodes_[index].first, nodes_[index].size);
  }

  uint32_t rank_count() const { return static_cast<uint32_t>(weight_of_rank_.size()); }
  uint64_t weight_of_rank(uint32_t rank) const { return weight_of_rank_[rank]; }
  uint32_t rank_of_edge(uint32_t edge) const { return rank_of_edge_[edge]; }
  uint64_t edge_visits() const { return edge_visits_; }

 private:
  // An edge between sets; a set is named by its smallest vertex.
  struct Item {
    uint32_t from;
    uint32_t to;
    uint32_t edge;
  };
  void RankEdges();
  void Build(uint32_t first_rank, uint32_t last_rank, std::vector<Item> items);
  void Join(uint32_t rank, const std::vector<Item>& items);
  // Components of the items up to `last_rank`; `sets` becomes the items' sets, ascending.
  std::vector<uint32_t> ComponentsUpTo(uint32_t last_rank, const std::vector<Item>& items,
                                       std::vector<uint32_t>& sets);
  void OrderVertices();

  uint32_t vertex_count_;
  std::span<const KnotEdge> edges_;
  std::vector<uint64_t> weight_of_rank_;
  std::vector<uint32_t> rank_of_edge_;
  std::vector<Node> nodes_;
  std::vector<uint32_t> node_of_set_;    // by the set's smallest vertex
  std::vector<uint32_t> local_number_;   // scratch: a set's place among the sets at hand
  std::vector<uint32_t> previous_sets_;  // those at hand before, whose numbers are to be forgotten
  std::vector<uint32_t> order_;
  uint64_t edge_visits_ = 0;
};

}  // namespace gordian
