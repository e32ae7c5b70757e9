// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "causes/slice_rows.h"

namespace gordian {
namespace {

constexpr uint32_t kUnnamed = 0xffffffff;

struct FoldedNode {
  uint32_t name = 0;
  uint32_t parent = 0;
  uint64_t stretches = 0;
  std::array<uint64_t, kCauseEdges> edges = {};
  absl::flat_hash_set<EntityId> threads;
  pb::SliceTimes times;
  std::vector<uint32_t> children;
};

class TreeFolder {
 public:
  TreeFolder(const ExecutionGraph& graph, const std::function<std::string(EntityId)>& name)
      : timeline_(graph.timeline()),
        name_(name),
        name_of_thread_(timeline_.thread_count(), kUnnamed) {}

  void Fold(const Slice& slice) {
    node_of_stretch_.resize(slice.stretches.size());
    for (const SliceStretch& stretch : slice.stretches) {
      const uint32_t node = NodeOf(stretch);
      node_of_stretch_[stretch.number] = node;
      FoldedNode& folded = nodes_[node];
      ++folded.stretches;
      ++folded.edges[static_cast<size_t>(stretch.edge)];
      folded.threads.insert(stretch.thread);
      AddTimes(stretch, folded.times);
    }
  }

  std::vector<pb::SliceNode> Preorder() {
    std::vector<pb::SliceNode> told;
    std::vector<std::pair<uint32_t, uint32_t>> next;  // a node, and its parent's place
    if (!nodes_.empty()) next.emplace_back(0, 0);
    while (!next.empty()) {
      const auto [index, parent] = next.back();
      next.pop_back();
      FoldedNode& node = nodes_[index];
      const auto place = static_cast<uint32_t>(told.size());
      pb::SliceNode& row = told.emplace_back();
      row.set_name(names_[node.name]);
      row.set_parent(parent);
      if (index != 0) {
        const auto most = std::max_element(node.edges.begin(), node.edges.end());
        row.set_edge(std::string(kCauseEdgeNames[static_cast<size_t>(most - node.edges.begin())]));
      }
      row.set_stretches(node.stretches);
      row.set_threads(node.threads.size());
      *row.mutable_times() = node.times;
      std::sort(node.children.begin(), node.children.end(), [this](uint32_t a, uint32_t b) {
        const uint64_t a_ns = TimeOf(nodes_[a].times);
        const uint64_t b_ns = TimeOf(nodes_[b].times);
        return a_ns != b_ns ? a_ns < b_ns : names_[nodes_[a].name] > names_[nodes_[b].name];
      });
      for (const uint32_t child : node.children) next.emplace_back(child, place);
    }
    return told;
  }

 private:
  uint32_t NameOfThread(EntityId thread) {
    uint32_t& number = name_of_thread_[thread];
    if (number != kUnnamed) return number;
    std::string name = name_(thread);
    const auto [place, is_new] = numbers_.try_emplace(name, static_cast<uint32_t>(names_.size()));
    if (is_new) names_.push_back(std::move(name));
    return number = place->second;
  }

  uint32_t NodeOf(const SliceStretch& stretch) {
    const uint32_t name = NameOfThread(stretch.thread);
    if (stretch.parent == kNoStretch) {
      nodes_.push_back({.name = name});
      return 0;
    }
    const uint32_t parent = node_of_stretch_[stretch.parent];
    for (uint32_t above = parent;; above = nodes_[above].parent) {
      if (nodes_[above].name == name) return above;
      if (above == 0) break;
    }
    const auto [place, is_new] = below_.try_emplace({parent, name}, nodes_.size());
    if (is_new) {
      nodes_.push_back({.name = name, .parent = parent});
      nodes_[parent].children.push_back(place->second);
    }
    return place->second;
  }

  void AddTimes(const SliceStretch& stretch, pb::SliceTimes& times) const {
    for (SegmentCursor at = timeline_.SegmentsFrom(stretch.thread, stretch.from_ns);
         !at.done() && at.start_ns() < stretch.to_ns; at.Next()) {
      const uint64_t begin_ns = std::max(at.start_ns(), stretch.from_ns);
      const uint64_t end_ns = std::min(at.end_ns(), stretch.to_ns);
      if (begin_ns >= end_ns) continue;
      const uint64_t length_ns = end_ns - begin_ns;
      switch (at.segment().kind) {
        case SegmentKind::kRun:
          times.set_run_ns(times.run_ns() + length_ns);
          break;
        case SegmentKind::kRunnable:
          times.set_ready_ns(times.ready_ns() + length_ns);
          break;
        case SegmentKind::kWait:
        case SegmentKind::kSpin:
          times.set_wait_ns(times.wait_ns() + length_ns);
          break;
        case SegmentKind::kUnknown:
          times.set_unknown_ns(times.unknown_ns() + length_ns);
          break;
      }
    }
  }

  const Timeline& timeline_;
  const std::function<std::string(EntityId)>& name_;
  std::vector<uint32_t> name_of_thread_;
  absl::flat_hash_map<std::string, uint32_t> numbers_;
  std::vector<std::string> names_;
  std::vector<FoldedNode> nodes_;
  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, uint32_t> below_;  // by node and name
  std::vector<uint32_t> node_of_stretch_;
};

}  // namespace

std::vector<pb::SliceNode> FoldedTree(const ExecutionGraph& graph, const Slice& slice,
                                      const std::function<std::string(EntityId)>& name) {
  TreeFolder folder(graph, name);
  folder.Fold(slice);
  return folder.Preorder();
}

}  // namespace gordian
