// SPDX-License-Identifier: Apache-2.0
#include "jobs/bottlenecks/held_slices.h"

#include <algorithm>

#include "jobs/attribution/columns.h"
#include "jobs/attribution/measured.h"

namespace gordian {
namespace {

template <typename Predicate>
Ranges SlicesWhere(size_t count, const Predicate& holds) {
  Ranges where;
  for (size_t slice = 0; slice < count; ++slice) {
    if (!holds(slice)) continue;
    if (!where.empty() && where.back().end == slice) {
      ++where.back().end;
    } else {
      where.push_back({slice, slice + 1});
    }
  }
  return where;
}

}  // namespace

HeldSlices::HeldSlices(const Job& job, const Attribution& attribution, const PhaseRules& rules,
                       const BottleneckOptions& options, ResourceId resource,
                       const MeasuredUse* measured)
    : job_(job),
      attribution_(attribution),
      rules_(rules),
      options_(options),
      resource_(resource),
      columns_(attribution.resources[resource]),
      measured_(measured) {
  const size_t count = columns_.use.size();
  if (measured_ != nullptr) {
    pieces_of_.resize(job.phases.size());
    for (uint32_t i = 0; i < measured_->pieces.size(); ++i) {
      if (measured_->pieces[i].phase != kNoId) pieces_of_[measured_->pieces[i].phase].push_back(i);
    }
  }
  if (columns_.capacity_known) {
    // Of a timeslice that samples cover in part, that part counts.
    saturated_ = SlicesWhere(count, [&](size_t slice) {
      const double full = columns_.capacity * columns_.coverage[slice];
      return full > 0 && columns_.use[slice] >= options.full_share * full;
    });
    const uint64_t slice_ns = attribution.slices.slice_ns;
    std::erase_if(saturated_,
                  [&](const Range& range) { return range.size() < options.full_ns / slice_ns; });
  }
  std::vector<double> exact_share(count);
  std::vector<double> per_weight(count);
  SplitSlices(columns_.use, columns_.exact_demand, columns_.variable_demand, columns_.limit(),
              {exact_share, per_weight});
  // Rounding is not use: a share counts from a millionth on.
  const double little = 1e-6 * columns_.capacity;
  exact_used_ = SlicesWhere(count, [&](size_t slice) {
    return exact_share[slice] * columns_.exact_demand[slice] > little;
  });
  weight_used_ = SlicesWhere(count, [&](size_t slice) {
    return per_weight[slice] * columns_.variable_demand[slice] > little;
  });
  exact_filled_ = SlicesWhere(count, [&](size_t slice) {
    return columns_.exact_demand[slice] > 0 && exact_share[slice] >= options.full_share;
  });
  for (Ranges* estimated : {&exact_used_, &weight_used_, &exact_filled_})
    *estimated = Subtract(*estimated, columns_.measured);
}

Ranges HeldSlices::MeasuredAbove(PhaseId phase, double least) const {
  if (measured_ == nullptr || pieces_of_[phase].empty()) return {};
  const Phase& it = job_.phases[phase];
  const Range slices = attribution_.slices.Touching({it.start_ns, it.end_ns});
  if (slices.size() == 0) return {};
  std::vector<double> use(slices.size(), 0.0);
  for (const uint32_t i : pieces_of_[phase]) {
    AddPiece(attribution_.slices, columns_.measured, measured_->pieces[i], slices.begin, use);
  }
  Ranges above = SlicesWhere(use.size(), [&](size_t i) { return use[i] > least; });
  for (Range& range : above) range = {range.begin + slices.begin, range.end + slices.begin};
  return above;
}

Ranges HeldSlices::SaturatedOf(PhaseId phase) const {
  if (saturated_.empty()) return {};
  const AttributionRule rule = rules_.Of(phase, resource_, columns_.capacity);
  Ranges used = MeasuredAbove(phase, 1e-6 * columns_.capacity);
  if (rule.kind != RuleKind::kNone) {
    const Ranges& all = rule.kind == RuleKind::kExact ? exact_used_ : weight_used_;
    const Ranges estimated = Intersect(attribution_.active[phase], all);
    used.insert(used.end(), estimated.begin(), estimated.end());
  }
  return Intersect(UnionOf(std::move(used)), saturated_);
}

Ranges HeldSlices::SelfLimitedOf(PhaseId phase) const {
  if (!columns_.capacity_known) return {};
  const AttributionRule rule = rules_.Of(phase, resource_, columns_.capacity);
  if (rule.kind != RuleKind::kExact) return {};
  // Just below, so that exactly this share counts.
  Ranges filled = MeasuredAbove(phase, options_.full_share * rule.amount * (1 - 1e-9));
  const Ranges estimated = Intersect(attribution_.active[phase], exact_filled_);
  filled.insert(filled.end(), estimated.begin(), estimated.end());
  return Subtract(UnionOf(std::move(filled)), saturated_);
}

}  // namespace gordian
