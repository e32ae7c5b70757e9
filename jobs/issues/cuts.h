// SPDX-License-Identifier: Apache-2.0
// By how much phases get shorter when the bottlenecks on some resources are gone: in each timeslice
// until the next resource binds; blocked time goes as a whole.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "jobs/attribution/attribution.h"
#include "jobs/attribution/demand.h"
#include "jobs/bottlenecks/bottlenecks.h"
#include "jobs/issues/replay.h"

namespace gordian {

// The rest of a time in which the phase uses these shares of its limit on each other resource: as
// much as the most used one takes.
double ShareLeft(std::span<const double> other_shares);

// This share of this time goes.
struct Cut {
  Range time_ns;
  double share = 0;
};
// By phase, in order of time, not overlapping.
using Cuts = std::vector<std::vector<Cut>>;

// How much of an interval goes.
int64_t CutWithin(const std::vector<Cut>& cuts, int64_t begin_ns, int64_t end_ns);

class CutFinder {
 public:
  CutFinder(const Job& job, const Attribution& attribution, const Bottlenecks& bottlenecks,
            std::span<const MeasuredUse> measured);

  // With the bottlenecks on all resources of these types gone.
  Cuts Without(std::span<const ResourceTypeId> resources) const;

 private:
  void CutBlocked(std::span<const Held* const> held, const std::vector<bool>& gone,
                  std::vector<Cut>& cuts) const;
  void CutSlices(PhaseId phase, std::span<const Held* const> held, const std::vector<bool>& gone,
                 std::vector<Cut>& cuts) const;
  // By timeslice of `slices`, the next bound of the phase: the largest of its shares of its limit
  // on each resource. If a resource's bottleneck is gone, the limit is the phase's own Exact demand
  // if the resource was full, and the capacity if the phase limited itself.
  std::vector<double> LargestShares(PhaseId phase, Range slices,
                                    const std::vector<bool>& gone) const;
  std::vector<double> OwnUse(PhaseId phase, ResourceId resource, const AttributionRule& rule,
                             Range slices) const;

  const Job& job_;
  const Attribution& attribution_;
  std::span<const MeasuredUse> measured_;
  PhaseRules rules_;
  const std::vector<Ranges>& saturated_slices_;
  std::vector<std::vector<const Held*>> held_of_;              // by phase
  std::vector<std::vector<std::vector<uint32_t>>> pieces_of_;  // by measured use, by phase
};

// Takes the cuts out of a replay's times: durations, and delays and tails that are kept. Only of
// phases of `type`, and of the phases directly around them, unless it is kNoId.
ReplayTimes WithCuts(const Job& job, const Replay& replay, const Cuts& cuts, PhaseTypeId type);

}  // namespace gordian
