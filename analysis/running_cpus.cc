// SPDX-License-Identifier: Apache-2.0
#include "analysis/running_cpus.h"

#include <algorithm>
#include <utility>

namespace gordian {

RunningCpus::RunningCpus(const Timeline& timeline, std::span<const uint8_t> counts)
    : of_node_(timeline.node_count()) {
  std::vector<std::vector<std::pair<uint64_t, int>>> changes(of_node_.size());
  for (EntityId thread = 0; thread < timeline.thread_count(); ++thread) {
    if (counts[thread] == 0) continue;
    auto& of_node = changes[timeline.entities()[thread].node];
    for (SegmentCursor at = timeline.SegmentsFrom(thread); !at.done(); at.Next()) {
      const SegmentKind kind = at.segment().kind;
      const bool runs = kind == SegmentKind::kRun || kind == SegmentKind::kSpin;
      if (!runs || at.start_ns() >= at.end_ns()) continue;
      of_node.emplace_back(at.start_ns(), 1);
      of_node.emplace_back(at.end_ns(), -1);
    }
  }
  for (uint32_t node = 0; node < of_node_.size(); ++node) {
    std::sort(changes[node].begin(), changes[node].end());
    const int64_t cpus = timeline.CpusOf(node);
    std::vector<Stretch>& stretches = of_node_[node];
    stretches.push_back({.time_ns = 0});
    int64_t running = 0;
    for (const auto& [time_ns, change] : changes[node]) {
      running += change;
      const Stretch& last = stretches.back();
      const bool has_idle = running < cpus;
      if (has_idle == last.has_idle) continue;
      stretches.push_back(
          {.time_ns = time_ns,
           .idle_before_ns = last.idle_before_ns + (last.has_idle ? time_ns - last.time_ns : 0),
           .has_idle = has_idle});
    }
  }
}

uint64_t RunningCpus::IdleBefore(const std::vector<Stretch>& stretches, uint64_t time_ns) const {
  const auto next = std::upper_bound(
      stretches.begin(), stretches.end(), time_ns,
      [](uint64_t time, const Stretch& stretch) { return time < stretch.time_ns; });
  const Stretch& here = *(next - 1);
  return here.idle_before_ns + (here.has_idle ? time_ns - here.time_ns : 0);
}

uint64_t RunningCpus::IdleBetween(uint32_t node, uint64_t from_ns, uint64_t to_ns) const {
  if (from_ns >= to_ns || node >= of_node_.size()) return 0;
  return IdleBefore(of_node_[node], to_ns) - IdleBefore(of_node_[node], from_ns);
}

}  // namespace gordian
