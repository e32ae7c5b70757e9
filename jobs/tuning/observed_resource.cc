// SPDX-License-Identifier: Apache-2.0
#include "jobs/tuning/observed_resource.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "jobs/accuracy/accuracy.h"
#include "jobs/attribution/measured.h"
#include "jobs/tuning/thresholds.h"

namespace gordian {
namespace {

double LengthOf(const ResourceSample& sample) {
  return static_cast<double>(sample.end_ns - sample.start_ns);
}

}  // namespace

bool ObservedResource::Read(std::span<const MeasuredUse> measured) {
  uint64_t steps_left = kMostActivitySteps;
  for (ResourceId id = 0; id < job_.resources.size(); ++id) {
    const MeasuredUse* known = MeasuredOf(measured, id);
    if (job_.resources[id].type != type_ || known == nullptr) continue;
    by_records_ = true;
    if (!Add({.id = id, .use = UseByRecords(job_, slices_, *known), .activity = {}}, steps_left))
      return false;
  }
  if (by_records_) return true;
  for (ResourceId id = 0; id < job_.resources.size(); ++id) {
    if (job_.resources[id].type != type_) continue;
    if (!Add({.id = id, .use = UseBySamples(job_, slices_, id), .activity = {}}, steps_left))
      return false;
  }
  return true;
}

bool ObservedResource::Add(Instance instance, uint64_t& steps_left) {
  auto during = activity_.During(instance.use.samples, instance.id, steps_left);
  if (!during) return false;
  instance.activity = *std::move(during);
  for (const ResourceSample& sample : instance.use.samples) {
    total_use_ += sample.use * LengthOf(sample);
    ++halves_[HalfOf(sample)];
  }
  instances_.push_back(std::move(instance));
  return true;
}

size_t ObservedResource::HalfOf(const ResourceSample& sample) const {
  const Range job_ns = slices_.TimesOf({0, slices_.count});
  const double place =
      static_cast<double>(sample.start_ns - job_ns.begin) / static_cast<double>(job_ns.size());
  return static_cast<size_t>(place * static_cast<double>(kStretches)) % 2;
}

uint64_t ObservedResource::MedianLength() const {
  std::vector<uint64_t> lengths;
  for (const Instance& instance : instances_) {
    for (const ResourceSample& sample : instance.use.samples)
      lengths.push_back(sample.end_ns - sample.start_ns);
  }
  if (lengths.empty()) return 0;
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  return *middle;
}

std::map<PhaseTypeId, double> ObservedResource::ActiveSeconds() const {
  std::map<PhaseTypeId, double> active_s;
  for (const Instance& instance : instances_) {
    for (size_t i = 0; i < instance.use.samples.size(); ++i) {
      const double seconds = LengthOf(instance.use.samples[i]) * 1e-9;
      for (const auto& [type, amount] : instance.activity[i]) active_s[type] += amount * seconds;
    }
  }
  return active_s;
}

double ObservedResource::CapacitySeen(Half half) const {
  std::vector<double> uses;
  for (const Instance& instance : instances_) {
    for (const ResourceSample& sample : instance.use.samples) {
      if (sample.use > 0 && IsIn(sample, half)) uses.push_back(sample.use);
    }
  }
  if (uses.empty()) return 0;
  const auto place = static_cast<size_t>(kNearlyAllSamples * static_cast<double>(uses.size() - 1));
  std::nth_element(uses.begin(), uses.begin() + static_cast<std::ptrdiff_t>(place), uses.end());
  return uses[place];
}

std::optional<FittedWeights> ObservedResource::FitTo(Half half, double capacity) const {
  WeightFit fit(activity_);
  for (const Instance& instance : instances_) {
    const double limit = capacity > 0 ? capacity : CapacityOf(job_, instance.id);
    for (size_t i = 0; i < instance.use.samples.size(); ++i) {
      const ResourceSample& sample = instance.use.samples[i];
      if (!IsIn(sample, half)) continue;
      WeightFit::Sample row{.activity = &instance.activity[i],
                            .use = sample.use,
                            .length_ns = LengthOf(sample),
                            .capacity = limit,
                            .known = {}};
      if (!instance.use.by_type.empty()) row.known = instance.use.by_type[i];
      fit.Add(row);
    }
  }
  if (fit.IsEmpty()) return std::nullopt;
  return fit.Fit();
}

ObservedResource::Miss ObservedResource::MissOf(const Job& job, size_t half,
                                                Upsampling upsampling) const {
  Miss miss;
  for (const Instance& instance : instances_) {
    std::vector<ResourceSample> held_back;
    double used = 0;
    for (const ResourceSample& sample : instance.use.samples) {
      if (!IsIn(sample, half)) continue;
      held_back.push_back(sample);
      used += sample.use * LengthOf(sample);
    }
    miss.distance +=
        used * ErrorOfRules(job, instance.id, slices_, held_back, kTunedFactor, upsampling);
    miss.total += used;
  }
  return miss;
}

}  // namespace gordian
