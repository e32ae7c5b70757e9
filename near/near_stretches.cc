// SPDX-License-Identifier: Apache-2.0
#include "near/near_stretches.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace gordian {

void NearStretches::Add(EntityId thread, uint64_t from_ns, uint64_t to_ns, CauseEdge edge) {
  if (from_ns >= to_ns) return;
  std::map<uint64_t, End>& ends = by_thread_[thread];
  auto at = ends.upper_bound(from_ns);
  if (at != ends.begin() && std::prev(at)->second.to_ns >= from_ns) --at;
  while (at != ends.end() && at->first <= to_ns) {
    from_ns = std::min(from_ns, at->first);
    if (at->second.to_ns >= to_ns) {
      to_ns = at->second.to_ns;
      edge = at->second.edge;
    }
    at = ends.erase(at);
  }
  ends[from_ns] = {to_ns, edge};
}

bool NearStretches::HoldsBefore(EntityId thread, uint64_t time_ns) const {
  const auto ends = by_thread_.find(thread);
  if (ends == by_thread_.end()) return false;
  const auto behind = ends->second.lower_bound(time_ns);
  return behind != ends->second.begin() && std::prev(behind)->second.to_ns >= time_ns;
}

std::vector<NearStretches::Stretch> NearStretches::All() const {
  std::vector<Stretch> all;
  for (const auto& [thread, ends] : by_thread_)
    for (const auto& [from_ns, end] : ends) all.push_back({thread, from_ns, end.to_ns, end.edge});
  std::sort(all.begin(), all.end(), [](const Stretch& a, const Stretch& b) {
    return std::tie(a.thread, a.from_ns) < std::tie(b.thread, b.from_ns);
  });
  return all;
}

}  // namespace gordian
