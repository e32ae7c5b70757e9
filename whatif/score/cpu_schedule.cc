// SPDX-License-Identifier: Apache-2.0
#include "whatif/score/cpu_schedule.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace gordian {
namespace {

bool Runs(const ThreadSegment& segment) {
  return segment.kind == SegmentKind::kRun || segment.kind == SegmentKind::kSpin;
}

}  // namespace

CpuSchedule::CpuSchedule(const Timeline& timeline, std::span<const uint8_t> is_other)
    : nodes_(timeline.node_count()) {
  std::vector<RunEdges> edges(nodes_.size());
  std::vector<RunsByCpu> others(nodes_.size());
  for (EntityId thread = 0; thread < timeline.thread_count(); ++thread) {
    const uint32_t node = timeline.entities()[thread].node;
    for (auto at = timeline.SegmentsFrom(thread); !at.done(); at.Next()) {
      if (!Runs(at.segment())) continue;
      if (at.end_ns() > at.start_ns()) {
        edges[node].starts_ns.push_back(at.start_ns());
        edges[node].ends_ns.push_back(at.end_ns());
      }
      if (is_other[thread] == 0) continue;
      const size_t cpu = at.segment().state;
      if (cpu >= others[node].size()) others[node].resize(cpu + 1);
      others[node][cpu].emplace_back(at.start_ns(), at.end_ns());
    }
  }
  for (uint32_t node = 0; node < nodes_.size(); ++node) {
    FindFull(timeline.CpusOf(node), edges[node], nodes_[node].full);
    FindOthers(others[node], nodes_[node].others);
  }
}

void CpuSchedule::FindOthers(RunsByCpu& runs, std::vector<Stretches>& others) {
  others.resize(runs.size());
  for (size_t cpu = 0; cpu < runs.size(); ++cpu) {
    std::sort(runs[cpu].begin(), runs[cpu].end());
    for (const auto& [start_ns, end_ns] : runs[cpu]) Append(others[cpu], start_ns, end_ns);
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

// Sweeps over beginnings and ends of all runs of a node; of equal times the end comes first.
void CpuSchedule::FindFull(uint32_t cpu_count, RunEdges& edges, Stretches& full) {
  auto& [starts_ns, ends_ns] = edges;
  std::sort(starts_ns.begin(), starts_ns.end());
  std::sort(ends_ns.begin(), ends_ns.end());
  const size_t cpus = std::max(1u, cpu_count);
  size_t begun = 0, ended = 0;
  uint64_t full_since_ns = 0;
  while (ended < ends_ns.size()) {
    if (begun < starts_ns.size() && starts_ns[begun] < ends_ns[ended]) {
      const uint64_t start_ns = starts_ns[begun++];
      if (begun - ended == cpus) full_since_ns = start_ns;
    } else {
      const uint64_t end_ns = ends_ns[ended++];
      if (begun - ended + 1 == cpus) Append(full, full_since_ns, end_ns);
    }
  }
}

// The last stretch that begins at time_ns or before is sought forward from `place`, in steps that
// double, then between the last two of these.
uint64_t CpuSchedule::Until(const Stretches& stretches, uint64_t time_ns, size_t& place) {
  const auto begins_later = [](uint64_t time, const Stretch& stretch) {
    return time < stretch.start_ns;
  };
  if (place >= stretches.size() || stretches[place].start_ns > time_ns) place = 0;
  size_t before = place, behind = place + 1;
  for (size_t step = 1; behind < stretches.size() && stretches[behind].start_ns <= time_ns;
       step *= 2) {
    before = behind;
    behind += step;
  }
  const auto begin = stretches.begin();
  const auto after =
      std::upper_bound(begin + static_cast<std::ptrdiff_t>(before),
                       begin + static_cast<std::ptrdiff_t>(std::min(behind, stretches.size())),
                       time_ns, begins_later);
  if (after == begin) return 0;
  const Stretch& last = *std::prev(after);
  place = static_cast<size_t>(std::prev(after) - begin);
  return last.before_ns + std::min(time_ns, last.end_ns) - last.start_ns;
}

CpuSchedule::Readiness CpuSchedule::Between(uint32_t node, uint32_t cpu, uint64_t from_ns,
                                            uint64_t to_ns) const {
  Place place;
  return Between(node, cpu, from_ns, to_ns, place);
}

CpuSchedule::Readiness CpuSchedule::Between(uint32_t node, uint32_t cpu, uint64_t from_ns,
                                            uint64_t to_ns, Place& place) const {
  const auto& [full, others] = nodes_[node];
  const auto between = [&](const Stretches& stretches, size_t& at) {
    const uint64_t until_from_ns = Until(stretches, from_ns, at);
    return Until(stretches, to_ns, at) - until_from_ns;
  };
  const uint64_t full_ns = between(full, place.in_full);
  Readiness found;
  found.unneeded_ns = to_ns - from_ns - full_ns;
  if (cpu < others.size()) {
    if (cpu >= place.in_others.size()) place.in_others.resize(cpu + 1);
    found.others_ns = between(others[cpu], place.in_others[cpu]);
  }
  // While another CPU was idle, other programs did not keep the thread from running.
  found.others_ns = std::min(found.others_ns, full_ns);
  return found;
}

}  // namespace gordian
