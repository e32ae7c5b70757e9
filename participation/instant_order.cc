// SPDX-License-Identifier: Apache-2.0
#include "participation/instant_order.h"

#include <algorithm>

namespace gordian {
namespace {

// Tarjan's strongly connected components, without recursion. A component gets its number when all
// that is reached from it has one: numbers fall along every edge between components.
class Components {
 public:
  Components(const std::vector<InstantEdge>& edges, const std::vector<uint32_t>& points)
      : points_(points),
        first_(points.size() + 1),
        number_(points.size()),
        low_(points.size()),
        component_(points.size(), kNone) {
    for (const InstantEdge& edge : edges) ++first_[Index(edge.src) + 1];
    for (size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    targets_.resize(edges.size());
    std::vector<uint32_t> next(first_.begin(), first_.end() - 1);
    for (const InstantEdge& edge : edges) targets_[next[Index(edge.src)]++] = Index(edge.dst);
    for (uint32_t point = 0; point < points.size(); ++point) {
      if (number_[point] == 0) Visit(point);
    }
  }

  uint32_t Of(uint32_t point) const { return component_[Index(point)]; }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Step {
    uint32_t point;
    uint32_t next;  // of its targets
  };

  uint32_t Index(uint32_t point) const {
    const auto found = std::lower_bound(points_.begin(), points_.end(), point);
    return static_cast<uint32_t>(found - points_.begin());
  }

  void Enter(uint32_t point) {
    number_[point] = low_[point] = ++visited_;
    open_.push_back(point);
    way_.push_back({point, first_[point]});
  }

  // Ends: each turn passes over a target or leaves a point, and each point is entered once.
  void Visit(uint32_t root) {
    Enter(root);
    while (!way_.empty()) {
      Step& step = way_.back();
      if (step.next < first_[step.point + 1]) {
        const uint32_t target = targets_[step.next++];
        if (number_[target] == 0) {
          Enter(target);
        } else if (component_[target] == kNone) {
          low_[step.point] = std::min(low_[step.point], number_[target]);
        }
        continue;
      }
      const uint32_t point = step.point;
      way_.pop_back();
      if (!way_.empty()) low_[way_.back().point] = std::min(low_[way_.back().point], low_[point]);
      if (low_[point] == number_[point]) Close(point);
    }
  }

  void Close(uint32_t root) {
    for (uint32_t point = kNone; point != root;) {
      point = open_.back();
      open_.pop_back();
      component_[point] = components_;
    }
    ++components_;
  }

  const std::vector<uint32_t>& points_;  // sorted
  std::vector<uint32_t> first_;          // of each point's targets
  std::vector<uint32_t> targets_;
  std::vector<uint32_t> number_;  // in order of visits, from 1; 0: not visited
  std::vector<uint32_t> low_;
  std::vector<uint32_t> component_;
  std::vector<uint32_t> open_;  // visited, without a component
  std::vector<Step> way_;
  uint32_t visited_ = 0;
  uint32_t components_ = 0;
};

}  // namespace

uint64_t OrderInstantEdges(std::vector<InstantEdge>& edges) {
  if (edges.size() == 1) {
    if (edges[0].src != edges[0].dst) return 0;
    edges.clear();
    return 1;
  }
  std::vector<uint32_t> points;
  for (const InstantEdge& edge : edges) points.insert(points.end(), {edge.src, edge.dst});
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  const Components components(edges, points);
  const uint64_t removed = std::erase_if(edges, [&](const InstantEdge& edge) {
    return components.Of(edge.src) == components.Of(edge.dst);
  });
  std::stable_sort(edges.begin(), edges.end(), [&](const InstantEdge& a, const InstantEdge& b) {
    return components.Of(a.src) > components.Of(b.src);
  });
  return removed;
}

}  // namespace gordian
