// SPDX-License-Identifier: Apache-2.0
#include "whatif/score/cpu_schedule.h"

#include <algorithm>
#include <utility>

namespace gordian {
namespace {

bool Runs(const ThreadSegment& segment) {
  return segment.kind == SegmentKind::kRun || segment.kind == SegmentKind::kSpin;
}

}  // namespace

CpuSchedule::CpuSchedule(const Timeline& timeline, std::span<const uint8_t> is_other) {
  FindFull(timeline);
  std::vector<std::vector<std::pair<uint64_t, uint64_t>>> runs;
  for (EntityId thread = 0; thread < timeline.thread_count(); ++thread) {
    if (is_other[thread] == 0) continue;
    for (auto at = timeline.SegmentsFrom(thread); !at.done(); at.Next()) {
      if (!Runs(at.segment())) continue;
      const size_t cpu = at.segment().state;
      if (cpu >= runs.size()) runs.resize(cpu + 1);
      runs[cpu].emplace_back(at.start_ns(), at.end_ns());
    }
  }
  others_.resize(runs.size());
  for (size_t cpu = 0; cpu < runs.size(); ++cpu) {
    std::sort(runs[cpu].begin(), runs[cpu].end());
    for (const auto& [start_ns, end_ns] : runs[cpu]) Append(others_[cpu], start_ns, end_ns);
  }
}

void CpuSchedule::Append(Stretches& stretches, uint64_t start_ns, uint64_t end_ns) {
  // Damaged recordings may have two threads on one CPU.
  if (!stretches.empty()) start_ns = std::max(start_ns, stretches.back().end_ns);
  if (start_ns >= end_ns) return;
  const uint64_t before_ns =
      stretches.empty()
          ? 0
          : stretches.back().before_ns + stretches.back().end_ns - stretches.back().start_ns;
  stretches.push_back({start_ns, end_ns, before_ns});
}

// Sweeps over beginnings and ends of all runs.
void CpuSchedule::FindFull(const Timeline& timeline) {
  std::vector<std::pair<uint64_t, int32_t>> edges;
  for (EntityId thread = 0; thread < timeline.thread_count(); ++thread) {
    for (auto at = timeline.SegmentsFrom(thread); !at.done(); at.Next()) {
      if (!Runs(at.segment()) || at.end_ns() <= at.start_ns()) continue;
      edges.emplace_back(at.start_ns(), 1);
      edges.emplace_back(at.end_ns(), -1);
    }
  }
  std::sort(edges.begin(), edges.end());
  const int64_t cpus = std::max(1u, timeline.cpus());
  int64_t busy = 0;
  uint64_t full_since_ns = 0;
  for (const auto& [time_ns, change] : edges) {
    if (busy >= cpus && busy + change < cpus) Append(full_, full_since_ns, time_ns);
    if (busy < cpus && busy + change >= cpus) full_since_ns = time_ns;
    busy += change;
  }
}

uint64_t CpuSchedule::Until(const Stretches& stretches, uint64_t time_ns) {
  const auto after = std::upper_bound(
      stretches.begin(), stretches.end(), time_ns,
      [](uint64_t time, const Stretch& stretch) { return time < stretch.start_ns; });
  if (after == stretches.begin()) return 0;
  const Stretch& last = *std::prev(after);
  return last.before_ns + std::min(time_ns, last.end_ns) - last.start_ns;
}

CpuSchedule::Readiness CpuSchedule::Between(uint32_t cpu, uint64_t from_ns, uint64_t to_ns) const {
  const uint64_t full_ns = Until(full_, to_ns) - Until(full_, from_ns);
  Readiness found;
  found.unneeded_ns = to_ns - from_ns - full_ns;
  if (cpu < others_.size())
    found.others_ns = Until(others_[cpu], to_ns) - Until(others_[cpu], from_ns);
  // While another CPU was idle, other programs did not keep the thread from running.
  found.others_ns = std::min(found.others_ns, full_ns);
  return found;
}

}  // namespace gordian
