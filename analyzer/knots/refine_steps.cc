// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "analyzer/knots/refine.h"

namespace gordian {
namespace {

using Action = RefineStep::Action;
using Outcome = RefineVisit::Outcome;

constexpr uint32_t kDone = 0xffffffff;

Action ActionOf(Outcome outcome) {
  switch (outcome) {
    case Outcome::kSplit:
      return Action::kSplit;
    case Outcome::kCut:
      return Action::kCut;
    case Outcome::kSingle:
      return Action::kSingle;
    case Outcome::kCycle:
      return Action::kCycle;
    case Outcome::kAboveThreshold:
      return Action::kAboveThreshold;
    case Outcome::kEqualWeights:
      return Action::kEqualWeights;
  }
  return Action::kSplit;
}

std::vector<uint32_t> Ascending(std::span<const uint32_t> vertices) {
  std::vector<uint32_t> sorted(vertices.begin(), vertices.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

// Plays the removals again, from the lightest edge to the heaviest. Each vertex knows the visit it
// is in at that weight; an edge within one visit was dropped there, if that visit went so far.
class Replay {
 public:
  Replay(const SplitTree& tree, std::span<const KnotEdge> edges,
         const std::vector<RefineVisit>& visits)
      : tree_(tree), edges_(edges), visits_(visits), visit_of_node_(tree.node_count(), kDone) {
    for (uint32_t i = 0; i < visits.size(); ++i) visit_of_node_[visits[i].node] = i;
    visit_of_vertex_.assign(tree.vertices(tree.root()).size(), visit_of_node_[tree.root()]);
  }

  std::vector<RefineStep> Run() {
    const std::vector<uint32_t> lightest_first = EdgesLightestFirst();
    const std::vector<uint32_t> ends = VisitsInOrder();
    size_t next_end = 0;
    size_t next_edge = 0;
    for (uint32_t rank = tree_.rank_count() + 1; rank-- > 0;) {
      for (; next_edge < lightest_first.size(); ++next_edge) {
        const uint32_t edge = lightest_first[next_edge];
        if (tree_.rank_of_edge(edge) != rank) break;
        Drop(edge, rank);
      }
      for (; next_end < ends.size(); ++next_end) {
        const RefineVisit& visit = visits_[ends[next_end]];
        if (visit.first_dropped_rank != rank) break;
        End(visit);
      }
    }
    return std::move(steps_);
  }

 private:
  std::vector<uint32_t> EdgesLightestFirst() const {
    std::vector<uint32_t> order(edges_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return tree_.rank_of_edge(a) > tree_.rank_of_edge(b);
    });
    return order;
  }

  // By the rank at which they ended; of equal ones a parent before its children, as they were made.
  std::vector<uint32_t> VisitsInOrder() const {
    std::vector<uint32_t> order(visits_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return visits_[a].first_dropped_rank > visits_[b].first_dropped_rank;
    });
    return order;
  }

  void Drop(uint32_t edge, uint32_t rank) {
    const uint32_t visit = visit_of_vertex_[edges_[edge].from];
    if (visit == kDone || visit != visit_of_vertex_[edges_[edge].to]) return;
    if (rank < visits_[visit].first_dropped_rank) return;
    steps_.push_back({Action::kRemoved, edges_[edge], {}});
  }

  void End(const RefineVisit& visit) {
    if (visit.outcome == Outcome::kSplit) {
      for (const uint32_t vertex : tree_.vertices(visit.node)) visit_of_vertex_[vertex] = kDone;
      for (const uint32_t child : visit.terminal_children) {
        for (const uint32_t vertex : tree_.vertices(child)) {
          visit_of_vertex_[vertex] = visit_of_node_[child];
        }
        steps_.push_back({Action::kSplit, {}, Ascending(tree_.vertices(child))});
      }
      return;
    }
    if (visit.outcome == Outcome::kCut) {
      for (const SplitTree::CrossEdge& edge : tree_.node(visit.node).edges) {
        if (edges_[edge.edge].matters) continue;
        steps_.push_back({Action::kCut, edges_[edge.edge], {}});
      }
      return;
    }
    steps_.push_back({ActionOf(visit.outcome), {}, Ascending(tree_.vertices(visit.node))});
  }

  const SplitTree& tree_;
  std::span<const KnotEdge> edges_;
  const std::vector<RefineVisit>& visits_;
  std::vector<uint32_t> visit_of_node_;
  std::vector<uint32_t> visit_of_vertex_;
  std::vector<RefineStep> steps_;
};

}  // namespace

std::vector<RefineStep> ExplainVisits(const SplitTree& tree, std::span<const KnotEdge> edges,
                                      const std::vector<RefineVisit>& visits) {
  return Replay(tree, edges, visits).Run();
}

}  // namespace gordian
