// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "causes/slice_rows.h"

namespace gordian {
namespace {

constexpr size_t kBeforeRoot = SIZE_MAX;

class TreeJoiner {
 public:
  // `of` picks the side of a joined node that the tree's nodes go to.
  template <typename Side>
  void Add(const pb::Slice& slice, Side of) {
    std::vector<size_t> places;
    for (int i = 0; i < slice.tree_size(); ++i) {
      const pb::SliceNode& node = slice.tree(i);
      const size_t place =
          i == 0 ? PlaceOf(kBeforeRoot, node.name()) : PlaceOf(places[node.parent()], node.name());
      places.push_back(place);
      pb::SliceNode& side = *of(nodes_[place].told);
      side = node;
      side.clear_parent();
    }
  }

  std::vector<pb::SliceNodeDiff> Preorder() {
    std::vector<pb::SliceNodeDiff> told;
    std::vector<std::pair<size_t, uint32_t>> next;  // a node, and its parent's place
    if (!nodes_.empty()) next.emplace_back(0, 0);
    while (!next.empty()) {
      const auto [index, parent] = next.back();
      next.pop_back();
      JoinedNode& node = nodes_[index];
      const auto place = static_cast<uint32_t>(told.size());
      node.told.set_parent(parent);
      std::sort(node.children.begin(), node.children.end(), [this](size_t a, size_t b) {
        const uint64_t a_ns = DifferenceNs(nodes_[a].told);
        const uint64_t b_ns = DifferenceNs(nodes_[b].told);
        return a_ns != b_ns ? a_ns < b_ns : nodes_[a].told.name() > nodes_[b].told.name();
      });
      for (const size_t child : node.children) next.emplace_back(child, place);
      told.push_back(std::move(node.told));
    }
    return told;
  }

 private:
  struct JoinedNode {
    pb::SliceNodeDiff told;
    std::vector<size_t> children;
  };

  static uint64_t DifferenceNs(const pb::SliceNodeDiff& node) {
    const uint64_t first_ns = TimeOf(node.first().times());
    const uint64_t second_ns = TimeOf(node.second().times());
    return std::max(first_ns, second_ns) - std::min(first_ns, second_ns);
  }
  // The roots are what was asked about, so they are one whatever their names are.
  size_t PlaceOf(size_t parent, const std::string& name) {
    const std::string key = parent == kBeforeRoot ? "" : name;
    const auto [place, is_new] = places_.try_emplace({parent, key}, nodes_.size());
    if (is_new) {
      nodes_.emplace_back().told.set_name(name);
      if (parent != kBeforeRoot) nodes_[parent].children.push_back(place->second);
    }
    return place->second;
  }

  std::vector<JoinedNode> nodes_;
  absl::flat_hash_map<std::pair<size_t, std::string>, size_t> places_;  // by parent and name
};

}  // namespace

std::vector<pb::SliceNodeDiff> TreeDifferenceOf(const pb::Slice& first, const pb::Slice& second) {
  TreeJoiner joiner;
  joiner.Add(first, [](pb::SliceNodeDiff& node) { return node.mutable_first(); });
  joiner.Add(second, [](pb::SliceNodeDiff& node) { return node.mutable_second(); });
  return joiner.Preorder();
}

}  // namespace gordian
