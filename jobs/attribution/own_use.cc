// SPDX-License-Identifier: Apache-2.0
#include "jobs/attribution/own_use.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "jobs/attribution/columns.h"
#include "jobs/attribution/demand.h"
#include "jobs/attribution/measured.h"

namespace gordian {
namespace {

constexpr double kRounding = 1e-9;  // of the largest use: less is what sums leave over

class OwnUses {
 public:
  OwnUses(const Job& job, const Attribution& attribution, const MeasuredUse* known,
          ResourceId resource, const std::function<void(const OwnUse&)>& function)
      : job_(job),
        attribution_(attribution),
        columns_(attribution.resources[resource]),
        known_(known),
        resource_(resource),
        rules_(job),
        function_(function),
        is_measured_(columns_.use.size()),
        exact_share_(columns_.use.size()),
        per_weight_(columns_.use.size()),
        measured_use_(columns_.use.size()),
        left_(columns_.use) {
    for (const Range& range : columns_.measured)
      std::fill_n(is_measured_.begin() + static_cast<ptrdiff_t>(range.begin), range.size(), 1);
    SplitSlices(columns_.use, columns_.exact_demand, columns_.variable_demand, columns_.limit(),
                {exact_share_, per_weight_});
    SortPieces();
  }

  void Tell() {
    for (PhaseId phase = 0; phase < job_.phases.size(); ++phase) TellPhase(phase);
    TellLeft();
  }

 private:
  void SortPieces() {
    if (known_ == nullptr) return;
    pieces_.resize(known_->pieces.size());
    std::iota(pieces_.begin(), pieces_.end(), 0U);
    std::stable_sort(pieces_.begin(), pieces_.end(), [this](uint32_t a, uint32_t b) {
      return known_->pieces[a].phase < known_->pieces[b].phase;
    });
  }

  // The phase's pieces as use by timeslice; the touched timeslices. `next_piece_` goes on.
  Ranges AddPieces(PhaseId phase) {
    std::vector<Range> touched;
    for (; next_piece_ < pieces_.size(); ++next_piece_) {
      const MeasuredUse::Piece& piece = known_->pieces[pieces_[next_piece_]];
      if (piece.phase != phase) break;
      AddPiece(attribution_.slices, columns_.measured, piece, 0, measured_use_);
      touched.push_back(attribution_.slices.Touching({piece.start_ns, piece.end_ns}));
    }
    return Intersect(UnionOf(std::move(touched)), columns_.measured);
  }

  void TellPhase(PhaseId phase) {
    const Ranges with_pieces = AddPieces(phase);
    const AttributionRule rule = rules_.Of(phase, resource_, columns_.capacity);
    const bool demands = rule.kind != RuleKind::kNone;
    std::vector<Range> all(with_pieces);
    if (demands)
      all.insert(all.end(), attribution_.active[phase].begin(), attribution_.active[phase].end());
    auto active = attribution_.active[phase].begin();
    for (const Range& range : UnionOf(std::move(all))) {
      for (uint64_t slice = range.begin; slice < std::min<uint64_t>(range.end, left_.size());
           ++slice) {
        while (active != attribution_.active[phase].end() && active->end <= slice) ++active;
        const bool is_active =
            demands && active != attribution_.active[phase].end() && active->begin <= slice;
        TellSlice(phase, slice, is_active ? rule : AttributionRule{.kind = RuleKind::kNone});
      }
    }
    Flush();
    for (const Range& range : with_pieces)
      std::fill_n(measured_use_.begin() + static_cast<ptrdiff_t>(range.begin), range.size(), 0.0);
  }

  void TellSlice(PhaseId phase, uint64_t slice, const AttributionRule& rule) {
    OwnUse row{.phase = phase, .slices = {slice, slice + 1}};
    if (rule.kind == RuleKind::kExact) row.exact_demand = rule.amount;
    if (rule.kind == RuleKind::kVariable) row.weight = rule.amount;
    row.measured = is_measured_[slice] != 0;
    row.use = row.measured
                  ? measured_use_[slice]
                  : exact_share_[slice] * row.exact_demand + per_weight_[slice] * row.weight;
    left_[slice] -= row.use;
    Take(row);
  }

  void TellLeft() {
    double most = 0;
    for (const double use : columns_.use) most = std::max(most, use);
    for (uint64_t slice = 0; slice < left_.size(); ++slice) {
      if (left_[slice] <= kRounding * most) continue;
      Take({.slices = {slice, slice + 1},
            .use = left_[slice],
            .measured = is_measured_[slice] != 0});
    }
    Flush();
  }

  // Timeslices alike are one row.
  void Take(const OwnUse& row) {
    if (row.use == 0 && row.exact_demand == 0 && row.weight == 0) return;
    if (has_row_ && row_.slices.end == row.slices.begin && row_.SameAs(row)) {
      row_.slices.end = row.slices.end;
      return;
    }
    Flush();
    row_ = row;
    has_row_ = true;
  }
  void Flush() {
    if (has_row_) function_(row_);
    has_row_ = false;
  }

  const Job& job_;
  const Attribution& attribution_;
  const ResourceColumns& columns_;
  const MeasuredUse* known_;  // null: nothing is measured
  const ResourceId resource_;
  const PhaseRules rules_;
  const std::function<void(const OwnUse&)>& function_;
  std::vector<char> is_measured_;  // by timeslice, as the following
  std::vector<double> exact_share_;
  std::vector<double> per_weight_;
  std::vector<double> measured_use_;  // of the phase at hand
  std::vector<double> left_;          // used by no phase so far
  std::vector<uint32_t> pieces_;      // places of known_->pieces, by phase
  size_t next_piece_ = 0;
  OwnUse row_;
  bool has_row_ = false;
};

}  // namespace

void ForEachOwnUse(const Job& job, const Attribution& attribution,
                   std::span<const MeasuredUse> measured, ResourceId resource,
                   const std::function<void(const OwnUse&)>& function) {
  if (attribution.resources[resource].use.empty()) return;  // blocking
  OwnUses(job, attribution, MeasuredOf(measured, resource), resource, function).Tell();
}

}  // namespace gordian
