// SPDX-License-Identifier: Apache-2.0
#include "jobs/attribution/upsample.h"

#include <algorithm>

#include "jobs/attribution/columns.h"
#include "jobs/attribution/thresholds.h"

namespace gordian {

bool IsUsable(const ResourceSample& sample) {
  return sample.start_ns < sample.end_ns && sample.use >= 0 && sample.use <= 1e30;
}

namespace {

// The timeslices of one sample, each with the share of it that the sample covers, and one place for
// the part of the sample outside of the job, where no phase demands.
class OneSample {
 public:
  void Begin(const Timeslices& slices, const ResourceColumns& columns, Range time_ns) {
    at_ = slices.Touching(time_ns);
    const size_t places = at_.size() + 1;
    shares_.assign(places, 1.0);
    weights_.resize(places);
    rooms_.resize(places);
    amounts_.assign(places, 0.0);
    double inside_ns = 0;
    for (size_t i = 0; i < at_.size(); ++i) {
      const bool inner = i > 0 && i + 1 < at_.size();
      if (!inner) {
        const Range slice = slices.TimesOf({at_.begin + i, at_.begin + i + 1});
        const uint64_t covered_ns =
            std::min(slice.end, time_ns.end) - std::max(slice.begin, time_ns.begin);
        shares_[i] = static_cast<double>(covered_ns) / static_cast<double>(slices.slice_ns);
      }
      inside_ns += shares_[i] * static_cast<double>(slices.slice_ns);
    }
    const double outside_ns = std::max(0.0, static_cast<double>(time_ns.size()) - inside_ns);
    // Rounding is not time.
    shares_.back() = outside_ns < 0.5 ? 0 : outside_ns / static_cast<double>(slices.slice_ns);
    const double limit = columns.limit();
    for (size_t i = 0; i < places; ++i) rooms_[i] = shares_[i] > 0 ? limit * shares_[i] : 0;
    length_ = SumOf(shares_);
  }

  double length() const { return length_; }  // in timeslices

  // Use known by records is taken as given. Returns its amount.
  double Keep(std::span<const double> known_use, const Ranges& measured) {
    double kept = 0;
    for (const Range& range : FirstEndingAfter(measured, at_.begin)) {
      for (uint64_t slice = range.begin < at_.begin ? at_.begin : range.begin;
           slice < std::min(range.end, at_.end); ++slice) {
        const size_t i = slice - at_.begin;
        const double amount = known_use[slice] * shares_[i];
        kept += amount;
        rooms_[i] = std::max(0.0, rooms_[i] - amount);
      }
      if (range.end >= at_.end) break;
    }
    return kept;
  }

  // The three steps of the paper, each in proportion: to the Exact demand and not above it, to the
  // Variable demand, and evenly. Timeslices that records know only take part in the last.
  double FillExact(const ResourceColumns& columns, double total) {
    full_rooms_ = rooms_;
    double demanded = 0;
    const double limit = columns.limit();
    const double* exact = columns.exact_demand.data() + at_.begin;
    for (size_t i = 0; i < at_.size(); ++i) {
      weights_[i] = exact[i] * shares_[i];
      rooms_[i] = std::min(exact[i], limit) * shares_[i];
      demanded += weights_[i];
    }
    return demanded > 0 ? Fill(columns.measured, total) : Restore();
  }
  double FillVariable(const ResourceColumns& columns, double total) {
    double demanded = 0;
    const double* variable = columns.variable_demand.data() + at_.begin;
    for (size_t i = 0; i < at_.size(); ++i) {
      weights_[i] = variable[i] * shares_[i];
      demanded += weights_[i];
    }
    full_rooms_ = rooms_;
    return demanded > 0 ? Fill(columns.measured, total) : Restore();
  }
  double FillEvenly(double total) { return FillProportionally(shares_, total, rooms_, amounts_); }

  // Above the capacity: kept as it is measured, in equal parts.
  void AddEvenly(double total) {
    for (size_t i = 0; i < amounts_.size(); ++i) amounts_[i] += total * shares_[i] / length_;
  }

  void AddTo(ResourceColumns& columns) const {
    double* use = columns.use.data() + at_.begin;
    for (size_t i = 0; i < at_.size(); ++i) use[i] += amounts_[i];
    for (size_t i = 0; i < at_.size(); ++i)
      columns.coverage[at_.begin + i] += static_cast<float>(shares_[i]);
  }

 private:
  // By weights_ into rooms_, which then hold the rest of the whole rooms.
  double Fill(const Ranges& measured, double total) {
    weights_.back() = 0;
    rooms_.back() = 0;
    for (const Range& range : FirstEndingAfter(measured, at_.begin)) {
      if (range.begin >= at_.end) break;
      const uint64_t from = std::max(range.begin, at_.begin) - at_.begin;
      const uint64_t to = std::min(range.end, at_.end) - at_.begin;
      std::fill(weights_.begin() + from, weights_.begin() + to, 0.0);
    }
    std::vector<double>& before = before_;
    before = amounts_;
    const double given = FillProportionally(weights_, total, rooms_, amounts_);
    for (size_t i = 0; i < rooms_.size(); ++i)
      rooms_[i] = std::max(0.0, full_rooms_[i] - (amounts_[i] - before[i]));
    return given;
  }
  double Restore() {
    rooms_ = full_rooms_;
    return 0;
  }

  Range at_;
  double length_ = 0;
  std::vector<double> shares_, weights_, rooms_, full_rooms_, amounts_, before_;
};

}  // namespace

void UpsampleAll(std::span<const ResourceSample> samples, const Timeslices& slices,
                 Upsampling upsampling, std::span<const double> known_use, ResourceColumns& columns,
                 UpsampleCounts& counts) {
  OneSample one;
  uint64_t covered_until_ns = 0;
  for (const ResourceSample& sample : samples) {
    if (!IsUsable(sample)) {
      ++counts.bad_samples;
      continue;
    }
    const Range time_ns = {std::max(sample.start_ns, covered_until_ns), sample.end_ns};
    if (time_ns.begin != sample.start_ns) ++counts.overlapping_samples;
    if (time_ns.size() == 0) continue;
    covered_until_ns = time_ns.end;
    if (slices.Touching(time_ns).size() == 0) {
      ++counts.samples_outside;
      continue;
    }
    one.Begin(slices, columns, time_ns);
    const double total = sample.use * one.length();
    double rest = total;
    if (!known_use.empty()) rest -= one.Keep(known_use, columns.measured);
    // Both are measured, each by its own clock: a small difference is no news.
    if (rest < -kSampleBelowRecords * total) ++counts.samples_below_records;
    rest = std::max(rest, 0.0);
    if (upsampling == Upsampling::kByDemand) {
      rest -= one.FillExact(columns, rest);
      rest -= one.FillVariable(columns, rest);
      rest -= one.FillEvenly(rest);
    }
    if (rest > 0) {
      if (rest > 1e-9 * total && upsampling == Upsampling::kByDemand)
        ++counts.samples_over_capacity;
      one.AddEvenly(rest);
    }
    one.AddTo(columns);
  }
}

}  // namespace gordian
