// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "jobs/attribution/attribution.h"
#include "jobs/attribution/columns.h"
#include "jobs/attribution/demand.h"
#include "jobs/attribution/measured.h"

namespace gordian {
namespace {

// The phases and all phases within them.
std::vector<bool> WithAllWithin(const Job& job, std::span<const PhaseId> phases) {
  std::vector<bool> chosen(job.phases.size(), false);
  for (const PhaseId phase : phases) chosen[phase] = true;
  for (PhaseId phase = 1; phase < job.phases.size(); ++phase) {
    if (chosen[job.phases[phase].parent]) chosen[phase] = true;
  }
  return chosen;
}

}  // namespace

UseSeries SeriesOf(const Job& job, const Attribution& attribution,
                   std::span<const MeasuredUse> measured, ResourceId resource,
                   std::span<const PhaseId> phases) {
  UseSeries series;
  const ResourceColumns& columns = attribution.resources[resource];
  const std::vector<bool> chosen = WithAllWithin(job, phases);
  series.slices = {attribution.slices.count, 0};
  for (PhaseId phase = 0; phase < job.phases.size(); ++phase) {
    if (!chosen[phase]) continue;
    const Range all = attribution.slices.Of(job.phases[phase].start_ns, job.phases[phase].end_ns);
    if (all.size() == 0) continue;
    series.slices.begin = std::min(series.slices.begin, all.begin);
    series.slices.end = std::max(series.slices.end, all.end);
  }
  if (series.slices.size() == 0 || columns.use.empty()) {
    series.slices = {};
    return series;
  }
  const uint64_t first = series.slices.begin;
  const size_t count = series.slices.size();
  series.use.assign(count, 0.0);
  series.exact_demand.assign(count, 0.0);
  series.weight.assign(count, 0.0);
  const PhaseRules rules(job);
  for (PhaseId phase = 0; phase < job.phases.size(); ++phase) {
    if (!chosen[phase]) continue;
    const AttributionRule rule = rules.Of(phase, resource, columns.capacity);
    if (rule.kind == RuleKind::kNone) continue;
    std::vector<double>& demand =
        rule.kind == RuleKind::kExact ? series.exact_demand : series.weight;
    for (const Range& range : attribution.active[phase]) {
      for (uint64_t slice = range.begin; slice < range.end; ++slice)
        demand[slice - first] += rule.amount;
    }
  }
  std::vector<double> exact_share(count);
  std::vector<double> per_weight(count);
  const auto part = [first, count](const std::vector<double>& column) {
    return std::span(column).subspan(first, count);
  };
  SplitSlices(part(columns.use), part(columns.exact_demand), part(columns.variable_demand),
              columns.limit(), {exact_share, per_weight});
  for (size_t i = 0; i < count; ++i)
    series.use[i] = exact_share[i] * series.exact_demand[i] + per_weight[i] * series.weight[i];
  for (const Range& range : Intersect(columns.measured, Ranges{series.slices}))
    std::fill_n(series.use.begin() + (range.begin - first), range.size(), 0.0);
  if (const MeasuredUse* known = MeasuredOf(measured, resource); known != nullptr) {
    for (const MeasuredUse::Piece& piece : known->pieces) {
      if (piece.phase != kNoId && chosen[piece.phase])
        AddPiece(attribution.slices, columns.measured, piece, first, series.use);
    }
  }
  return series;
}

std::vector<PhaseId> PhasesOfType(const Job& job, PhaseTypeId type) {
  std::vector<PhaseId> phases;
  for (PhaseId phase = 0; phase < job.phases.size(); ++phase) {
    if (job.phases[phase].type == type) phases.push_back(phase);
  }
  return phases;
}

}  // namespace gordian
