// SPDX-License-Identifier: Apache-2.0
#include "analyzer/devices/idle_shares.h"

#include <algorithm>

namespace gordian {

std::vector<Edge> ShareIdleTime(EntityId device, uint64_t idle_ns,
                                const std::map<EntityId, Work>& work_of) {
  std::vector<Edge> edges;
  unsigned __int128 total = 0;
  for (const auto& [thread, work] : work_of) total += work.given;
  if (total == 0 || idle_ns == 0) return edges;
  uint64_t shared_ns = 0;
  for (const auto& [thread, work] : work_of) {
    if (work.given == 0) continue;
    const auto share_ns =
        static_cast<uint64_t>(static_cast<unsigned __int128>(idle_ns) * work.given / total);
    shared_ns += share_ns;
    edges.push_back({.from = device,
                     .to = thread,
                     .own_ns = share_ns,
                     .count = work.count,
                     .longest_ns = work.longest_ns});
  }
  for (size_t i = 0; shared_ns < idle_ns; i = (i + 1) % edges.size(), ++shared_ns) {
    ++edges[i].own_ns;
  }
  for (Edge& edge : edges) {
    edge.weight_ns = edge.own_ns;
    edge.longest_ns = std::min(edge.longest_ns, edge.own_ns);
  }
  return edges;
}

}  // namespace gordian
