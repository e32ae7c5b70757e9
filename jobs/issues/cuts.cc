// SPDX-License-Identifier: Apache-2.0
#include "jobs/issues/cuts.h"

#include <algorithm>
#include <cmath>

#include "jobs/attribution/measured.h"

namespace gordian {

double ShareLeft(std::span<const double> other_shares) {
  double left = 0;
  for (const double share : other_shares) left = std::max(left, share);
  return std::min(left, 1.0);
}

int64_t CutWithin(const std::vector<Cut>& cuts, int64_t begin_ns, int64_t end_ns) {
  double cut_ns = 0;
  for (const Cut& cut : cuts) {
    const int64_t from = std::max(begin_ns, static_cast<int64_t>(cut.time_ns.begin));
    const int64_t to = std::min(end_ns, static_cast<int64_t>(cut.time_ns.end));
    if (from < to) cut_ns += static_cast<double>(to - from) * cut.share;
  }
  return std::llround(cut_ns);
}

CutFinder::CutFinder(const Job& job, const Attribution& attribution, const Bottlenecks& bottlenecks,
                     std::span<const MeasuredUse> measured)
    : job_(job),
      attribution_(attribution),
      measured_(measured),
      rules_(job),
      saturated_slices_(bottlenecks.saturated_slices),
      held_of_(job.phases.size()),
      pieces_of_(measured.size()) {
  for (const Held& held : bottlenecks.held) held_of_[held.phase].push_back(&held);
  for (size_t i = 0; i < measured.size(); ++i) {
    pieces_of_[i].resize(job.phases.size());
    for (uint32_t piece = 0; piece < measured[i].pieces.size(); ++piece) {
      if (measured[i].pieces[piece].phase != kNoId)
        pieces_of_[i][measured[i].pieces[piece].phase].push_back(piece);
    }
  }
}

Cuts CutFinder::Without(std::span<const ResourceTypeId> resources) const {
  std::vector<bool> gone(job_.model.resources.size(), false);
  for (const ResourceTypeId resource : resources) gone[resource] = true;
  Cuts cuts(job_.phases.size());
  for (PhaseId phase = 0; phase < job_.phases.size(); ++phase) {
    if (held_of_[phase].empty()) continue;
    CutBlocked(held_of_[phase], gone, cuts[phase]);
    CutSlices(phase, held_of_[phase], gone, cuts[phase]);
    // Blocked times are exact, timeslices rounded: no time goes twice.
    std::sort(cuts[phase].begin(), cuts[phase].end(),
              [](const Cut& a, const Cut& b) { return a.time_ns.begin < b.time_ns.begin; });
    uint64_t until_ns = 0;
    for (Cut& cut : cuts[phase]) {
      cut.time_ns.begin = std::max(cut.time_ns.begin, until_ns);
      until_ns = std::max(until_ns, cut.time_ns.end);
    }
    std::erase_if(cuts[phase], [](const Cut& cut) { return cut.time_ns.size() == 0; });
  }
  return cuts;
}

void CutFinder::CutBlocked(std::span<const Held* const> held, const std::vector<bool>& gone,
                           std::vector<Cut>& cuts) const {
  Ranges freed;
  Ranges still;
  for (const Held* it : held) {
    if (it->kind != BottleneckKind::kBlocked) continue;
    Ranges& ranges = gone[job_.resources[it->resource].type] ? freed : still;
    ranges.insert(ranges.end(), it->times_ns.begin(), it->times_ns.end());
  }
  for (const Range& range : Subtract(UnionOf(std::move(freed)), UnionOf(std::move(still))))
    cuts.push_back({range, 1.0});
}

void CutFinder::CutSlices(PhaseId phase, std::span<const Held* const> held,
                          const std::vector<bool>& gone, std::vector<Cut>& cuts) const {
  Ranges freed;
  for (const Held* it : held) {
    if (it->kind != BottleneckKind::kBlocked && gone[job_.resources[it->resource].type])
      freed.insert(freed.end(), it->times_ns.begin(), it->times_ns.end());
  }
  freed = UnionOf(std::move(freed));
  for (const Range& range : freed) {
    const Range slices = attribution_.slices.Touching(range);
    const std::vector<double> left = LargestShares(phase, slices, gone);
    for (size_t i = 0; i < left.size(); ++i) {
      if (left[i] >= 1) continue;
      Range time_ns = attribution_.slices.TimesOf({slices.begin + i, slices.begin + i + 1});
      time_ns = {std::max(time_ns.begin, range.begin), std::min(time_ns.end, range.end)};
      if (!cuts.empty() && cuts.back().time_ns.end == time_ns.begin &&
          cuts.back().share == 1 - left[i]) {
        cuts.back().time_ns.end = time_ns.end;
      } else {
        cuts.push_back({time_ns, 1 - left[i]});
      }
    }
  }
}

std::vector<double> CutFinder::LargestShares(PhaseId phase, Range slices,
                                             const std::vector<bool>& gone) const {
  std::vector<double> largest(slices.size(), 0.0);
  for (ResourceId resource = 0; resource < job_.resources.size(); ++resource) {
    const ResourceColumns& columns = attribution_.resources[resource];
    if (columns.use.empty() || !columns.capacity_known) continue;
    const AttributionRule rule = rules_.Of(phase, resource, columns.capacity);
    if (rule.kind == RuleKind::kNone && columns.measured.empty()) continue;
    const double demanded = rule.kind == RuleKind::kExact ? rule.amount : 0;
    const bool is_gone = gone[job_.resources[resource].type];
    const Ranges saturated =
        is_gone ? Intersect(saturated_slices_[resource], Ranges{slices}) : Ranges();
    const std::vector<double> own = OwnUse(phase, resource, rule, slices);
    for (size_t i = 0; i < slices.size(); ++i) {
      if (own[i] <= 1e-6 * columns.capacity) continue;
      const uint64_t slice = slices.begin + i;
      const bool was_full = is_gone && OverlapOf(saturated, {slice, slice + 1}) > 0;
      const double of_capacity = std::min(columns.use[slice] / columns.capacity, 1.0);
      const double of_demand = demanded > 0 ? std::min(own[i] / demanded, 1.0) : 0;
      // Where the capacity is lifted, the phase's own limit stays, and the other way round.
      if (!is_gone || !was_full) largest[i] = std::max(largest[i], of_capacity);
      if (!is_gone || was_full) largest[i] = std::max(largest[i], of_demand);
    }
  }
  return largest;
}

// By timeslice.
std::vector<double> CutFinder::OwnUse(PhaseId phase, ResourceId resource,
                                      const AttributionRule& rule, Range slices) const {
  const ResourceColumns& columns = attribution_.resources[resource];
  std::vector<double> own(slices.size(), 0.0);
  for (size_t i = 0; i < slices.size() && rule.kind != RuleKind::kNone; ++i) {
    const uint64_t slice = slices.begin + i;
    const double exact = columns.exact_demand[slice];
    const double shared = std::min(columns.use[slice], columns.capacity);
    const double first = std::min(shared, exact);
    const double weight = columns.variable_demand[slice];
    if (rule.kind == RuleKind::kExact && exact > 0) own[i] = rule.amount * first / exact;
    if (rule.kind == RuleKind::kVariable && weight > 0)
      own[i] = rule.amount * (shared - first) / weight;
  }
  for (const Range& range : Intersect(columns.measured, Ranges{slices})) {
    std::fill_n(own.begin() + static_cast<std::ptrdiff_t>(range.begin - slices.begin), range.size(),
                0.0);
  }
  for (size_t m = 0; m < measured_.size(); ++m) {
    if (measured_[m].resource != resource) continue;
    for (const uint32_t piece : pieces_of_[m][phase]) {
      AddPiece(attribution_.slices, columns.measured, measured_[m].pieces[piece], slices.begin,
               own);
    }
  }
  return own;
}

ReplayTimes WithCuts(const Job& job, const Replay& replay, const Cuts& cuts, PhaseTypeId type) {
  ReplayTimes times = replay.times();
  const auto concerned = [&](PhaseId phase) {
    return !cuts[phase].empty() && (type == kNoId || job.phases[phase].type == type);
  };
  for (PhaseId phase = 0; phase < job.phases.size(); ++phase) {
    const Phase& it = job.phases[phase];
    const int64_t start_ns = static_cast<int64_t>(it.start_ns);
    const int64_t end_ns = static_cast<int64_t>(it.end_ns);
    int64_t& duration_ns = times.duration_ns[phase];
    int64_t& delay_ns = times.delay_ns[phase];
    int64_t& tail_ns = times.tail_ns[phase];
    if (concerned(phase)) {
      duration_ns -= std::min(duration_ns, CutWithin(cuts[phase], start_ns, end_ns));
      if (tail_ns > 0 && !replay.delays_dropped(phase))
        tail_ns -= std::min(tail_ns, CutWithin(cuts[phase], end_ns - tail_ns, end_ns));
    }
    if (it.parent != kNoId && concerned(it.parent) && delay_ns > 0)
      delay_ns -= std::min(delay_ns, CutWithin(cuts[it.parent], start_ns - delay_ns, start_ns));
  }
  return times;
}

}  // namespace gordian
