// SPDX-License-Identifier: Apache-2.0
#include "analyzer/knots/refine.h"

#include <algorithm>
#include <cassert>

namespace gordian {
namespace {

using Outcome = RefineVisit::Outcome;

constexpr uint32_t kNoPiece = 0xffffffff;

// Walks the tree from the root to the sets where refinement stops. Each step goes to children, so
// the walk ends. It looks at each node's edges once, with the node.
class RefineWalk {
 public:
  RefineWalk(uint32_t vertex_count, std::span<const KnotEdge> edges, const RefineOptions& options)
      : edges_(edges),
        options_(options),
        tree_(vertex_count, edges),
        has_way_out_(tree_.node_count()),
        heaviest_self_loop_rank_(vertex_count, tree_.rank_count()) {
    for (uint32_t edge = 0; edge < edges.size(); ++edge) {
      if (edges[edge].from != edges[edge].to) continue;
      uint32_t& rank = heaviest_self_loop_rank_[edges[edge].from];
      rank = std::min(rank, tree_.rank_of_edge(edge));
    }
  }

  Refinement Run() {
    std::vector<RefineVisit> open = {{tree_.root(), Outcome::kSplit, tree_.rank_count(), {}}};
    while (!open.empty()) {
      RefineVisit visit = std::move(open.back());
      open.pop_back();
      Decide(visit);
      if (visit.outcome == Outcome::kSplit) {
        for (const uint32_t child : visit.terminal_children) {
          open.push_back({child, Outcome::kSplit, visit.first_dropped_rank, {}});
        }
      }
      visits_.push_back(std::move(visit));
    }
    Refinement result;
    result.pieces = Pieces();
    if (options_.explain) result.steps = ExplainVisits(tree_, edges_, visits_);
    result.edge_visits = tree_.edge_visits() + edge_visits_;
    return result;
  }

 private:
  void Decide(RefineVisit& visit) {
    if (tree_.is_vertex(visit.node)) {
      visit.outcome = Outcome::kSingle;
      return;
    }
    const SplitTree::Node& node = tree_.node(visit.node);
    edge_visits_ += node.edges.size();
    const bool small_enough = options_.max_vertices == 0 || node.size <= options_.max_vertices;
    if (small_enough && tree_.weight_of_rank(node.rank) > options_.threshold) {
      visit.outcome = Outcome::kAboveThreshold;
      visit.first_dropped_rank = std::min(visit.first_dropped_rank, FirstRankUpToThreshold());
      return;
    }
    if (IsSimpleCycle(node)) {
      visit.first_dropped_rank = node.rank + 1;
      for (const SplitTree::CrossEdge& edge : node.edges) {
        if (!edges_[edge.edge].matters) visit.terminal_children.push_back(edge.from_node);
      }
      visit.outcome = visit.terminal_children.empty() ? Outcome::kCycle : Outcome::kCut;
      return;
    }
    if (LosesAllEdges(node)) {
      visit.first_dropped_rank = node.rank + 1;
      visit.outcome = Outcome::kEqualWeights;
      return;
    }
    visit.first_dropped_rank = node.rank;
    for (const SplitTree::CrossEdge& edge : node.edges) {
      if (tree_.rank_of_edge(edge.edge) < node.rank) has_way_out_[edge.from_node] = 1;
    }
    for (const uint32_t child : node.children) {
      if (!has_way_out_[child]) visit.terminal_children.push_back(child);
    }
  }

  uint32_t FirstRankUpToThreshold() const {
    uint32_t rank = 0;
    uint32_t end = tree_.rank_count();
    while (rank < end) {
      const uint32_t middle = rank + (end - rank) / 2;
      if (tree_.weight_of_rank(middle) > options_.threshold) {
        rank = middle + 1;
      } else {
        end = middle;
      }
    }
    return rank;
  }

  bool OnlyVertices(const SplitTree::Node& node) const { return node.size == node.children.size(); }

  bool HasSelfLoopUpTo(const SplitTree::Node& node, uint32_t rank) const {
    return std::any_of(node.children.begin(), node.children.end(),
                       [&](uint32_t vertex) { return heaviest_self_loop_rank_[vertex] < rank; });
  }

  // Strongly connected with as many edges as vertices.
  bool IsSimpleCycle(const SplitTree::Node& node) const {
    return OnlyVertices(node) && node.edges.size() == node.children.size() &&
           !HasSelfLoopUpTo(node, node.rank + 1);
  }

  bool LosesAllEdges(const SplitTree::Node& node) const {
    return OnlyVertices(node) && !HasSelfLoopUpTo(node, node.rank) &&
           std::all_of(node.edges.begin(), node.edges.end(), [&](const SplitTree::CrossEdge& edge) {
             return tree_.rank_of_edge(edge.edge) == node.rank;
           });
  }

  std::vector<RefinedPiece> Pieces() {
    std::vector<RefinedPiece> pieces;
    std::vector<uint32_t> first_dropped_rank;
    std::vector<uint32_t> piece_of(heaviest_self_loop_rank_.size(), kNoPiece);
    const auto add = [&](std::vector<uint32_t> vertices, uint32_t dropped_from) {
      for (const uint32_t vertex : vertices) piece_of[vertex] = pieces.size();
      std::sort(vertices.begin(), vertices.end());
      pieces.push_back({std::move(vertices), {}});
      first_dropped_rank.push_back(dropped_from);
    };
    for (const RefineVisit& visit : visits_) {
      if (visit.outcome == Outcome::kSplit) continue;
      if (visit.outcome == Outcome::kCut) {
        for (const uint32_t vertex : visit.terminal_children) add({vertex}, 0);
        continue;
      }
      const auto vertices = tree_.vertices(visit.node);
      add({vertices.begin(), vertices.end()}, visit.first_dropped_rank);
    }
    edge_visits_ += edges_.size();
    for (uint32_t i = 0; i < edges_.size(); ++i) {
      const KnotEdge& edge = edges_[i];
      const uint32_t piece = piece_of[edge.from];
      if (piece == kNoPiece || piece != piece_of[edge.to]) continue;
      if (tree_.rank_of_edge(i) >= first_dropped_rank[piece]) continue;
      if (edge.from == edge.to && !SelfLoopCounts(edge, pieces[piece])) continue;
      pieces[piece].edges.push_back(edge);
    }
    return Ordered(std::move(pieces));
  }

  // A single vertex whose self-loop is light is a sink.
  bool SelfLoopCounts(const KnotEdge& loop, const RefinedPiece& piece) const {
    return piece.vertices.size() > 1 || (loop.matters && loop.weight > options_.threshold);
  }

  static std::vector<RefinedPiece> Ordered(std::vector<RefinedPiece> pieces) {
    for (RefinedPiece& piece : pieces) {
      std::sort(piece.edges.begin(), piece.edges.end(), [](const KnotEdge& a, const KnotEdge& b) {
        if (a.weight != b.weight) return a.weight > b.weight;
        return a.from != b.from ? a.from < b.from : a.to < b.to;
      });
    }
    std::sort(pieces.begin(), pieces.end(), [](const RefinedPiece& a, const RefinedPiece& b) {
      return a.vertices.front() < b.vertices.front();
    });
    return pieces;
  }

  std::span<const KnotEdge> edges_;
  RefineOptions options_;
  SplitTree tree_;
  std::vector<char> has_way_out_;  // by node, within its parent
  std::vector<uint32_t> heaviest_self_loop_rank_;
  std::vector<RefineVisit> visits_;
  uint64_t edge_visits_ = 0;
};

}  // namespace

Refinement Refine(uint32_t vertex_count, std::span<const KnotEdge> edges,
                  const RefineOptions& options) {
  assert(vertex_count > 0);
  return RefineWalk(vertex_count, edges, options).Run();
}

}  // namespace gordian
