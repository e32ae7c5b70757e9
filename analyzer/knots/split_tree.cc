// SPDX-License-Identifier: Apache-2.0
#include "analyzer/knots/split_tree.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "analyzer/knots/strong_components.h"

namespace gordian {

namespace {

constexpr uint32_t kUnnoted = 0xffffffff;

}  // namespace

SplitTree::SplitTree(uint32_t vertex_count, std::span<const KnotEdge> edges)
    : vertex_count_(vertex_count),
      edges_(edges),
      nodes_(vertex_count),
      node_of_set_(vertex_count),
      local_number_(vertex_count, kUnnoted) {
  std::iota(node_of_set_.begin(), node_of_set_.end(), 0u);
  RankEdges();
  std::vector<Item> items;
  items.reserve(edges.size());
  for (uint32_t edge = 0; edge < edges.size(); ++edge) {
    if (edges[edge].from == edges[edge].to) continue;  // a self-loop joins no vertices
    items.push_back({edges[edge].from, edges[edge].to, edge});
  }
  if (!items.empty()) Build(0, rank_count() - 1, std::move(items));
  OrderVertices();
}

void SplitTree::RankEdges() {
  std::vector<uint32_t> heaviest_first(edges_.size());
  std::iota(heaviest_first.begin(), heaviest_first.end(), 0u);
  std::sort(heaviest_first.begin(), heaviest_first.end(),
            [&](uint32_t a, uint32_t b) { return edges_[a].weight > edges_[b].weight; });
  rank_of_edge_.resize(edges_.size());
  for (const uint32_t edge : heaviest_first) {
    const uint64_t weight = edges_[edge].weight;
    if (weight_of_rank_.empty() || weight_of_rank_.back() != weight) {
      weight_of_rank_.push_back(weight);
    }
    rank_of_edge_[edge] = static_cast<uint32_t>(weight_of_rank_.size() - 1);
  }
}

std::vector<uint32_t> SplitTree::ComponentsUpTo(uint32_t last_rank, const std::vector<Item>& items,
                                                std::vector<uint32_t>& sets) {
  edge_visits_ += items.size();
  sets.clear();
  const auto note = [&](uint32_t set) {
    if (local_number_[set] == kUnnoted) sets.push_back(set);
    local_number_[set] = 0;
  };
  for (const uint32_t set : previous_sets_) local_number_[set] = kUnnoted;
  for (const Item& item : items) {
    note(item.from);
    note(item.to);
  }
  std::sort(sets.begin(), sets.end());
  previous_sets_ = sets;
  for (uint32_t i = 0; i < sets.size(); ++i) local_number_[sets[i]] = i;

  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  for (const Item& item : items) {
    if (rank_of_edge_[item.edge] > last_rank) continue;
    pairs.emplace_back(local_number_[item.from], local_number_[item.to]);
  }
  return ComponentNumbers(static_cast<uint32_t>(sets.size()), pairs);
}

void SplitTree::Build(uint32_t first_rank, uint32_t last_rank, std::vector<Item> items) {
  if (items.empty()) return;
  if (first_rank == last_rank) return Join(first_rank, items);

  const uint32_t middle = first_rank + (last_rank - first_rank) / 2;
  std::vector<uint32_t> sets;
  const std::vector<uint32_t> component_of = ComponentsUpTo(middle, items, sets);
  // `sets` ascends: the first of a component is the smallest, whose name the joined set takes.
  constexpr uint32_t kUnnamed = 0xffffffff;
  std::vector<uint32_t> name_of(sets.size(), kUnnamed);
  for (uint32_t i = 0; i < sets.size(); ++i) {
    if (name_of[component_of[i]] == kUnnamed) name_of[component_of[i]] = sets[i];
  }

  std::vector<Item> within;
  std::vector<Item> between;
  for (const Item& item : items) {
    const uint32_t from = component_of[local_number_[item.from]];
    const uint32_t to = component_of[local_number_[item.to]];
    if (from != to) {
      between.push_back({name_of[from], name_of[to], item.edge});
    } else if (rank_of_edge_[item.edge] <= middle) {
      within.push_back(item);
    }
  }
  items = {};
  // In this order: the inner sets must exist before they are joined to others.
  Build(first_rank, middle, std::move(within));
  Build(middle + 1, last_rank, std::move(between));
}

// All sets at hand become strongly connected at this rank, perhaps as several new sets.
void SplitTree::Join(uint32_t rank, const std::vector<Item>& items) {
  std::vector<uint32_t> sets;
  const std::vector<uint32_t> component_of = ComponentsUpTo(rank, items, sets);
  const auto first_node = static_cast<uint32_t>(nodes_.size());
  uint32_t component_count = 0;
  for (const uint32_t component : component_of) {
    component_count = std::max(component_count, component + 1);
  }
  nodes_.resize(nodes_.size() + component_count);

  for (const Item& item : items) {
    Node& node = nodes_[first_node + component_of[local_number_[item.from]]];
    node.edges.push_back({node_of_set_[item.from], node_of_set_[item.to], item.edge});
  }
  std::vector<char> named(component_count);
  for (uint32_t i = 0; i < sets.size(); ++i) {
    const uint32_t component = component_of[i];
    Node& node = nodes_[first_node + component];
    node.rank = rank;
    node.children.push_back(node_of_set_[sets[i]]);
    if (!std::exchange(named[component], 1)) node_of_set_[sets[i]] = first_node + component;
  }
}

// Lays the vertices out so that each node's stand together. A node stands after its children, so
// sizes add up upwards and places are given downwards.
void SplitTree::OrderVertices() {
  for (size_t i = vertex_count_; i < nodes_.size(); ++i) {
    nodes_[i].size = 0;
    for (const uint32_t child : nodes_[i].children) nodes_[i].size += nodes_[child].size;
  }
  for (size_t i = nodes_.size(); i-- > vertex_count_;) {
    uint32_t first = nodes_[i].first;
    for (const uint32_t child : nodes_[i].children) {
      nodes_[child].first = first;
      first += nodes_[child].size;
    }
  }
  order_.resize(vertex_count_);
  for (uint32_t vertex = 0; vertex < vertex_count_; ++vertex) order_[nodes_[vertex].first] = vertex;
}

}  // namespace gordian
