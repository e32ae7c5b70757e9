// SPDX-License-Identifier: Apache-2.0
// What a job used of one type of resource, with which phases, in two halves: one to fit rules to,
// the other to check them on. Inner to the library.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "jobs/attribution/attribution.h"
#include "jobs/learning/activity.h"
#include "jobs/learning/weight_fit.h"
#include "jobs/tuning/use_by_type.h"

namespace gordian {

class ObservedResource {
 public:
  // All must outlive it.
  ObservedResource(const Job& job, ResourceTypeId type, const Timeslices& slices,
                   const Activity& activity)
      : job_(job), type_(type), slices_(slices), activity_(activity) {}

  // What records say of any instance; else the samples of all. False if that is too much.
  bool Read(std::span<const MeasuredUse> measured);

  bool by_records() const { return by_records_; }
  uint64_t samples() const { return halves_[0] + halves_[1]; }
  bool has_use() const { return total_use_ > 0; }
  bool has_both_halves() const { return halves_[0] > 0 && halves_[1] > 0; }
  uint64_t MedianLength() const;
  // Of phases by themselves, by type.
  std::map<PhaseTypeId, double> ActiveSeconds() const;

  // All halves without a number.
  using Half = std::optional<size_t>;
  // The use that samples hardly ever exceed.
  double CapacitySeen(Half half) const;
  // `capacity` of each instance, or 0: its own. Nothing if that half tells nothing.
  std::optional<FittedWeights> FitTo(Half half, double capacity) const;

  // By how much the rules of `job` miss that half, and what was used in it: in unit · ns.
  struct Miss {
    double distance = 0;
    double total = 0;
  };
  Miss MissOf(const Job& job, size_t half, Upsampling upsampling) const;

 private:
  struct Instance {
    ResourceId id = 0;
    ObservedUse use;
    std::vector<SampleActivity> activity;
  };
  bool Add(Instance instance, uint64_t& steps_left);
  // 0 or 1: every other stretch of the job.
  size_t HalfOf(const ResourceSample& sample) const;
  bool IsIn(const ResourceSample& sample, Half half) const {
    return !half || HalfOf(sample) == *half;
  }

  const Job& job_;
  const ResourceTypeId type_;
  const Timeslices& slices_;
  const Activity& activity_;
  std::vector<Instance> instances_;
  bool by_records_ = false;
  size_t halves_[2] = {};  // samples of each
  double total_use_ = 0;
};

}  // namespace gordian
