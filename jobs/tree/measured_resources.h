// SPDX-License-Identifier: Apache-2.0
// Samples of resources' use as sources tell them, by instance.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "jobs/job/job.h"
#include "jobs/tree/phase_types.h"
#include "jobs/tree/tally.h"

namespace gordian {

class MeasuredResources {
 public:
  static constexpr size_t kMaxInstances = 20'000;
  static constexpr size_t kMaxSamples = 50'000'000;

  MeasuredResources(PhaseTypes& types, Tally& tally) : types_(types), tally_(tally) {}

  // The instance of a type with that name on that node (shared types have no node); kNoId if there
  // are too many.
  ResourceId Instance(ResourceTypeId type, std::string_view name, std::string_view node);

  // The average use since the instance's measurement before; the first one counts for as long as
  // the second. `capacity` 0: not told.
  void AddMeasurement(ResourceId instance, uint64_t time_ns, double use, double capacity);
  // The average use in an interval.
  void AddSample(ResourceId instance, const ResourceSample& sample, double capacity);

  // Moves all into the job: samples in order of time; overlapping ones are counted and left out.
  void Finish(Job& job);

 private:
  struct Measured {
    Resource resource;
    std::vector<ResourceSample> samples;       // with known beginnings
    std::vector<ResourceSample> measurements;  // start_ns is not known yet
    double told_capacity = 0;
  };
  bool Accept(ResourceId instance, double use, double capacity);
  void GiveBeginnings(Measured& measured);

  PhaseTypes& types_;
  Tally& tally_;
  std::vector<Measured> instances_;
  absl::flat_hash_map<std::string, ResourceId> by_name_;
  size_t samples_ = 0;
};

}  // namespace gordian
