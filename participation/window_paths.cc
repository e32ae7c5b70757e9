// SPDX-License-Identifier: Apache-2.0
#include "participation/window_paths.h"

#include <algorithm>
#include <utility>

#include "participation/instant_order.h"

namespace gordian {

bool IsInWindow(const ActivityEdge& edge, const WindowBorders& window) {
  if (edge.src_ns == edge.dst_ns)
    return edge.src_ns >= window.from_ns && edge.src_ns <= window.to_ns;
  return edge.dst_ns > window.from_ns && edge.src_ns < window.to_ns;
}

uint64_t LengthInWindow(const ActivityEdge& edge, const WindowBorders& window) {
  if (!IsInWindow(edge, window)) return 0;
  return std::min(edge.dst_ns, window.to_ns) - std::max(edge.src_ns, window.from_ns);
}

void WindowPaths::Solve(std::span<const ActivityEdge> edges, const WindowBorders& window) {
  points_.clear();
  times_ns_.clear();
  starts_.clear();
  cut_.clear();
  paths_to_end_.clear();
  crossings_.assign(edges.size(), 0);
  paths_ = {};
  in_circles_ = 0;
  CutEdges(edges, window);
  CountBack();
  if (!paths_.is_zero()) FlowForward();
}

uint32_t WindowPaths::Number(const Point& point, const WindowBorders& window) {
  const auto [entry, is_new] =
      points_.try_emplace(point, static_cast<uint32_t>(paths_to_end_.size()));
  if (is_new) {
    times_ns_.push_back(point.time_ns);
    if (point.time_ns == window.from_ns) starts_.push_back(entry->second);
    paths_to_end_.push_back(point.time_ns == window.to_ns ? PathCount::One() : PathCount());
  }
  return entry->second;
}

// Edges that begin at one time: first those that take none, in their order, then those that last.
// All points of the latter's ends are later.
void WindowPaths::AddInstants() {
  if (!instants_.empty()) {
    std::vector<InstantEdge> order;
    for (const CutEdge& edge : instants_) order.push_back({edge.src, edge.dst, edge.edge});
    in_circles_ += OrderInstantEdges(order);
    for (const InstantEdge& edge : order) cut_.push_back({edge.src, edge.dst, edge.edge});
    instants_.clear();
  }
  cut_.insert(cut_.end(), lasting_.begin(), lasting_.end());
  lasting_.clear();
}

void WindowPaths::CutEdges(std::span<const ActivityEdge> edges, const WindowBorders& window) {
  uint64_t group_ns = window.from_ns;
  for (size_t i = 0; i < edges.size(); ++i) {
    const ActivityEdge& edge = edges[i];
    if (!edge.traversable || !IsInWindow(edge, window)) continue;
    const uint64_t src_ns = std::max(edge.src_ns, window.from_ns);
    const uint64_t dst_ns = std::min(edge.dst_ns, window.to_ns);
    if (src_ns != std::exchange(group_ns, src_ns)) AddInstants();
    const CutEdge cut = {.src = Number({src_ns, edge.src_worker}, window),
                         .dst = Number({dst_ns, edge.dst_worker}, window),
                         .edge = static_cast<uint32_t>(i)};
    (src_ns == dst_ns ? instants_ : lasting_).push_back(cut);
  }
  AddInstants();
}

// Chains have no gaps: the one that begins first is the longest.
std::vector<uint32_t> WindowPaths::LongestChain() const {
  constexpr uint32_t kNone = UINT32_MAX;
  std::vector<uint64_t> begins_ns = times_ns_;               // by point: of the longest chain to it
  std::vector<uint32_t> last_edge(times_ns_.size(), kNone);  // of that chain, of cut_
  for (uint32_t i = 0; i < cut_.size(); ++i) {
    if (begins_ns[cut_[i].src] >= begins_ns[cut_[i].dst]) continue;
    begins_ns[cut_[i].dst] = begins_ns[cut_[i].src];
    last_edge[cut_[i].dst] = i;
  }
  uint32_t end = kNone;
  for (uint32_t point = 0; point < times_ns_.size(); ++point) {
    const bool is_better =
        end == kNone || times_ns_[point] > times_ns_[end] ||
        (times_ns_[point] == times_ns_[end] && begins_ns[point] < begins_ns[end]);
    if (is_better) end = point;
  }
  std::vector<uint32_t> chain;
  while (end != kNone && last_edge[end] != kNone) {
    const CutEdge& edge = cut_[last_edge[end]];
    chain.push_back(edge.edge);
    end = edge.src;
  }
  std::reverse(chain.begin(), chain.end());
  return chain;
}

void WindowPaths::CountBack() {
  for (size_t i = cut_.size(); i-- > 0;) paths_to_end_[cut_[i].src] += paths_to_end_[cut_[i].dst];
  for (const uint32_t start : starts_) paths_ += paths_to_end_[start];
}

void WindowPaths::FlowForward() {
  flow_.assign(paths_to_end_.size(), 0);
  for (const uint32_t start : starts_) flow_[start] = paths_to_end_[start].ShareOf(paths_);
  for (const CutEdge& edge : cut_) {
    const double flow = flow_[edge.src];
    if (flow == 0 || paths_to_end_[edge.dst].is_zero()) continue;
    const double along = flow * paths_to_end_[edge.dst].ShareOf(paths_to_end_[edge.src]);
    flow_[edge.dst] += along;
    crossings_[edge.edge] = along;
  }
}

}  // namespace gordian
