// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cascade/edge_sums.h"

#include <algorithm>
#include <tuple>

namespace gordian {

Edge& EdgeSums::Find(EntityId from, EntityId to) {
  const auto [place, added] =
      places_.try_emplace(uint64_t{from} << 32 | to, static_cast<uint32_t>(edges_.size()));
  if (added) edges_.push_back({.from = from, .to = to});
  last_of_[from] = place->second;
  return edges_[place->second];
}

void EdgeSums::Add(const Edge& edge) {
  Edge& sum = Of(edge.from, edge.to);
  sum.weight_ns += edge.weight_ns;
  sum.own_ns += edge.own_ns;
  sum.count += edge.count;
  sum.longest_ns = std::max(sum.longest_ns, edge.longest_ns);
}

std::vector<Edge> EdgeSums::Sorted() const {
  std::vector<Edge> sorted = edges_;
  std::sort(sorted.begin(), sorted.end(), [](const Edge& a, const Edge& b) {
    return std::tie(a.from, a.to) < std::tie(b.from, b.to);
  });
  return sorted;
}

}  // namespace gordian
