// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cascade/edge_totals.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace gordian {

Edge& EdgeTotals::Find(EntityId from, EntityId to) {
  const auto [place, added] =
      places_.try_emplace(uint64_t{from} << 32 | to, static_cast<uint32_t>(edges_.size()));
  if (added) edges_.push_back({.from = from, .to = to});
  last_of_[from] = place->second;
  return edges_[place->second];
}

void EdgeTotals::Add(std::span<const EdgeSum> sums) {
  for (const EdgeSum& sum : sums) {
    Edge& edge = Of(sum.from, sum.to);
    edge.weight_ns += sum.own_ns + sum.behind_ns;
    edge.own_ns += sum.own_ns;
    edge.count += sum.count;
    edge.longest_ns = std::max(edge.longest_ns, sum.longest_ns);
  }
}

void EdgeTotals::AddWaits(std::span<const WaitInterval> waits) {
  for (const WaitInterval& wait : waits) {
    const uint64_t own_ns = std::min(wait.end_ns, to_ns_) - std::max(wait.start_ns, from_ns_);
    Edge& edge = Of(wait.waiter, wait.waker);
    edge.weight_ns += own_ns;
    edge.own_ns += own_ns;
    ++edge.count;
    edge.longest_ns = std::max(edge.longest_ns, own_ns);
  }
}

void EdgeTotals::Add(const EdgeTotals& part) {
  for (const Edge& more : part.edges_) {
    Edge& edge = Of(more.from, more.to);
    edge.weight_ns += more.weight_ns;
    edge.own_ns += more.own_ns;
    edge.count += more.count;
    edge.longest_ns = std::max(edge.longest_ns, more.longest_ns);
  }
}

std::vector<Edge> EdgeTotals::TakeSorted() {
  places_ = {};
  last_of_.assign(last_of_.size(), kNone);
  std::vector<Edge> sorted = std::exchange(edges_, {});
  std::sort(sorted.begin(), sorted.end(), [](const Edge& a, const Edge& b) {
    return std::tie(a.from, a.to) < std::tie(b.from, b.to);
  });
  return sorted;
}

}  // namespace gordian
