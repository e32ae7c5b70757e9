// SPDX-License-Identifier: Apache-2.0
#include "jobs/measured/use_table.h"

#include <algorithm>
#include <utility>

namespace gordian {

UseTable::UseTable(uint64_t start_ns, uint64_t end_ns, uint64_t slice_ns)
    : start_ns_(start_ns),
      end_ns_(end_ns),
      slice_ns_(slice_ns),
      unattributed_((end_ns - start_ns + slice_ns - 1) / slice_ns) {}

void UseTable::AddTime(UseKind kind, PhaseId phase, uint64_t from_ns, uint64_t to_ns) {
  from_ns = std::max(from_ns, start_ns_);
  to_ns = std::min(to_ns, end_ns_);
  while (from_ns < to_ns) {
    const uint64_t slice = (from_ns - start_ns_) / slice_ns_;
    const uint64_t slice_end_ns = start_ns_ + (slice + 1) * slice_ns_;
    const uint64_t until_ns = std::min(to_ns, slice_end_ns);
    Add(kind, phase, static_cast<uint32_t>(slice), until_ns - from_ns);
    from_ns = until_ns;
  }
}

void UseTable::AddAt(UseKind kind, PhaseId phase, uint64_t time_ns, uint64_t amount) {
  if (time_ns < start_ns_ || time_ns >= end_ns_ || amount == 0) return;
  Add(kind, phase, static_cast<uint32_t>((time_ns - start_ns_) / slice_ns_), amount);
}

void UseTable::Add(UseKind kind, PhaseId phase, uint32_t slice, uint64_t amount) {
  if (phase == kNoId) {
    unattributed_[slice] += amount;
    return;
  }
  std::vector<Row>& rows = kind == UseKind::kOwn ? own_ : helpers_;
  if (rows.empty() || rows.back().phase != phase || rows.back().slice != slice) {
    rows.push_back({phase, slice, 0});
  }
  rows.back().amount += amount;
}

void UseTable::Take(UseTable& other) {
  own_.insert(own_.end(), other.own_.begin(), other.own_.end());
  helpers_.insert(helpers_.end(), other.helpers_.begin(), other.helpers_.end());
  for (size_t slice = 0; slice < unattributed_.size(); ++slice) {
    unattributed_[slice] += other.unattributed_[slice];
  }
  other.own_ = {};
  other.helpers_ = {};
  other.unattributed_ = {};
}

UseRows UseTable::Sorted(std::vector<Row>& rows) {
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return std::pair(a.phase, a.slice) < std::pair(b.phase, b.slice);
  });
  UseRows sorted;
  for (const Row& row : rows) {
    const bool same =
        sorted.size() > 0 && sorted.phases.back() == row.phase && sorted.slices.back() == row.slice;
    if (!same) {
      sorted.phases.push_back(row.phase);
      sorted.slices.push_back(row.slice);
      sorted.amounts.push_back(0);
    }
    sorted.amounts.back() += row.amount;
  }
  rows = {};
  return sorted;
}

void UseTable::Finish(const Job& job, MeasuredResource& resource) {
  resource.own = Sorted(own_);
  resource.helpers = Sorted(helpers_);
  resource.unattributed = std::move(unattributed_);
  resource.totals.assign(job.phases.size(), {});
  for (size_t row = 0; row < resource.own.size(); ++row) {
    resource.totals[resource.own.phases[row]].own += resource.own.amounts[row];
  }
  for (size_t row = 0; row < resource.helpers.size(); ++row) {
    resource.totals[resource.helpers.phases[row]].helpers += resource.helpers.amounts[row];
  }
  // Parents come before their children: backwards, a phase has its children's when its turn comes.
  for (size_t phase = job.phases.size(); phase-- > 0;) {
    PhaseUse& use = resource.totals[phase];
    use.with_children += use.own + use.helpers;
    const PhaseId parent = job.phases[phase].parent;
    if (parent != kNoId) resource.totals[parent].with_children += use.with_children;
  }
}

}  // namespace gordian
