// SPDX-License-Identifier: Apache-2.0
// Of one resource: the timeslices in which it was full, and those in which it held one phase.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "jobs/attribution/attribution.h"
#include "jobs/attribution/demand.h"
#include "jobs/bottlenecks/bottlenecks.h"

namespace gordian {

class HeldSlices {
 public:
  HeldSlices(const Job& job, const Attribution& attribution, const PhaseRules& rules,
             const BottleneckOptions& options, ResourceId resource, const MeasuredUse* measured);

  const Ranges& saturated() const { return saturated_; }
  Ranges SaturatedOf(PhaseId phase) const;
  // Those in which the resource is not saturated.
  Ranges SelfLimitedOf(PhaseId phase) const;

 private:
  // The timeslices where `phase` is measured and used more than `least`.
  Ranges MeasuredAbove(PhaseId phase, double least) const;

  const Job& job_;
  const Attribution& attribution_;
  const PhaseRules& rules_;
  const BottleneckOptions& options_;
  ResourceId resource_;
  const ResourceColumns& columns_;
  const MeasuredUse* measured_;
  std::vector<std::vector<uint32_t>> pieces_of_;  // by phase: indices into the measured pieces
  Ranges saturated_;
  // Where it is estimated, phases of one kind of rule are alike.
  Ranges exact_used_;    // Exact phases got something
  Ranges weight_used_;   // Variable phases did
  Ranges exact_filled_;  // Exact phases got their demand
};

}  // namespace gordian
