// SPDX-License-Identifier: Apache-2.0
#include "jobs/tree/measured_resources.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"

namespace gordian {

ResourceId MeasuredResources::Instance(ResourceTypeId type, std::string_view name,
                                       std::string_view node) {
  const bool per_node = types_.resource(type).per_node;
  const std::string own_node = per_node ? std::string(node) : std::string();
  std::string key = absl::StrCat(type, "\n", std::string(name), "\n", own_node);
  const auto known = by_name_.find(key);
  if (known != by_name_.end()) return known->second;
  if (instances_.size() >= kMaxInstances) return kNoId;
  const auto id = static_cast<ResourceId>(instances_.size());
  Measured measured;
  measured.resource = {.type = type, .name = std::string(name), .node = own_node};
  instances_.push_back(std::move(measured));
  by_name_.emplace(std::move(key), id);
  return id;
}

bool MeasuredResources::Accept(ResourceId instance, double use, double capacity) {
  const bool good =
      instance != kNoId && std::isfinite(use) && use >= 0 && std::isfinite(capacity) &&
      capacity >= 0 &&
      types_.resource(instances_[instance].resource.type).kind == ResourceKind::kConsumable;
  if (!good || samples_ >= kMaxSamples) {
    tally_.Count(good ? "resource_samples_over_limit" : "resource_samples_malformed");
    return false;
  }
  ++samples_;
  Measured& measured = instances_[instance];
  measured.told_capacity = std::max(measured.told_capacity, capacity);
  return true;
}

void MeasuredResources::AddMeasurement(ResourceId instance, uint64_t time_ns, double use,
                                       double capacity) {
  if (!Accept(instance, use, capacity)) return;
  instances_[instance].measurements.push_back({.start_ns = 0, .end_ns = time_ns, .use = use});
}

void MeasuredResources::AddSample(ResourceId instance, const ResourceSample& sample,
                                  double capacity) {
  if (sample.end_ns <= sample.start_ns) return tally_.Count("resource_samples_malformed");
  if (Accept(instance, sample.use, capacity)) instances_[instance].samples.push_back(sample);
}

// A single measurement says nothing of when it began: it is left out, and counted.
void MeasuredResources::GiveBeginnings(Measured& measured) {
  std::vector<ResourceSample>& all = measured.measurements;
  std::stable_sort(all.begin(), all.end(), [](const ResourceSample& a, const ResourceSample& b) {
    return a.end_ns < b.end_ns;
  });
  const auto same_time = [](const ResourceSample& a, const ResourceSample& b) {
    return a.end_ns == b.end_ns;
  };
  const auto kept = std::unique(all.begin(), all.end(), same_time);
  tally_.Count("resource_samples_overlapping", all.end() - kept);
  all.erase(kept, all.end());
  if (all.size() == 1) {
    tally_.Count("resource_samples_malformed");
    return;
  }
  for (size_t i = 1; i < all.size(); ++i) all[i].start_ns = all[i - 1].end_ns;
  if (!all.empty()) {
    const uint64_t second_ns = all[1].end_ns - all[0].end_ns;
    all[0].start_ns = all[0].end_ns - std::min(second_ns, all[0].end_ns);
  }
  measured.samples.insert(measured.samples.end(), all.begin(), all.end());
}

void MeasuredResources::Finish(Job& job) {
  for (Measured& measured : instances_) {
    GiveBeginnings(measured);
    std::vector<ResourceSample>& samples = measured.samples;
    std::stable_sort(
        samples.begin(), samples.end(),
        [](const ResourceSample& a, const ResourceSample& b) { return a.start_ns < b.start_ns; });
    std::vector<ResourceSample> apart;
    for (const ResourceSample& sample : samples) {
      if (apart.empty() || sample.start_ns >= apart.back().end_ns) {
        apart.push_back(sample);
      } else {
        tally_.Count("resource_samples_overlapping");
      }
    }
    const ResourceType& type = types_.resource(measured.resource.type);
    measured.resource.capacity = type.capacity > 0 ? type.capacity : measured.told_capacity;
    job.resources.push_back(std::move(measured.resource));
    job.samples.push_back(std::move(apart));
  }
  instances_.clear();
  by_name_.clear();
}

}  // namespace gordian
