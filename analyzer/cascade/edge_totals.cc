// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cascade/edge_totals.h"

#include <algorithm>
#include <tuple>

namespace gordian {

Edge& EdgeTotals::Find(EntityId from, EntityId to) {
  const auto [place, added] =
      places_.try_emplace(uint64_t{from} << 32 | to, static_cast<uint32_t>(count_));
  if (added) {
    if (count_ % kBlockEdges == 0) blocks_.push_back(std::make_unique<Edge[]>(kBlockEdges));
    EdgeAt(count_++) = {.from = from, .to = to};
  }
  last_of_[from - first_waiter_] = place->second;
  return EdgeAt(place->second);
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
  for (size_t place = 0; place < part.count_; ++place) Add(part.EdgeAt(place));
}

void EdgeTotals::Add(const Edge& more) {
  Edge& edge = Of(more.from, more.to);
  edge.weight_ns += more.weight_ns;
  edge.own_ns += more.own_ns;
  edge.count += more.count;
  edge.longest_ns = std::max(edge.longest_ns, more.longest_ns);
}

std::vector<Edge> EdgeTotals::TakeSorted() {
  places_ = {};
  last_of_.assign(last_of_.size(), kNone);
  std::vector<Edge> sorted;
  sorted.reserve(count_);
  for (std::unique_ptr<Edge[]>& block : blocks_) {
    const size_t count = std::min(count_ - sorted.size(), kBlockEdges);
    sorted.insert(sorted.end(), block.get(), block.get() + count);
    block.reset();
  }
  blocks_.clear();
  count_ = 0;
  std::sort(sorted.begin(), sorted.end(), [](const Edge& a, const Edge& b) {
    return std::tie(a.from, a.to) < std::tie(b.from, b.to);
  });
  return sorted;
}

}  // namespace gordian
