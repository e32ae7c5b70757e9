// SPDX-License-Identifier: Apache-2.0
// How many phases of each kind demanded a resource during its samples. Inner to the library.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "jobs/attribution/attribution.h"
#include "jobs/attribution/demand.h"
#include "jobs/job/job.h"

namespace gordian {

// Mean numbers over a sample's time; only kinds that were there, in order.
using SampleActivity = std::vector<std::pair<PhaseTypeId, double>>;

// A bound of time: phases, each in each sample.
inline constexpr uint64_t kMostActivitySteps = uint64_t{1} << 25;

// Those that say something, in order and apart, as Activity::During supposes.
std::vector<ResourceSample> Usable(std::span<const ResourceSample> samples);
// Of an instance; 0: not known.
double CapacityOf(const Job& job, ResourceId resource);

class Activity {
 public:
  Activity(const Job& job, uint64_t slice_ns);

  // Of each sample. `steps_left` bounds the work: it counts down by one for each phase in each
  // sample; nothing comes back when it is used up.
  std::optional<std::vector<SampleActivity>> During(std::span<const ResourceSample> samples,
                                                    ResourceId resource,
                                                    uint64_t& steps_left) const;

  // Whether phases of this kind mostly consist of others, by the time in which they demand.
  bool IsComposite(PhaseTypeId type) const { return is_composite_[type] != 0; }

 private:
  const Job& job_;
  const PhaseRules rules_;
  const Timeslices slices_;
  const std::vector<Ranges> active_;
  std::vector<char> is_composite_;  // by type
};

}  // namespace gordian
