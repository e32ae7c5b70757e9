// SPDX-License-Identifier: Apache-2.0
// Which phases want which resource, and when.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "jobs/attribution/attribution.h"

namespace gordian {

// The rule of each phase for each resource instance: a node's resource is for the phases of that
// node, and for phases of an unknown node.
class PhaseRules {
 public:
  explicit PhaseRules(const Job& job);

  // kNone too where the amount is 0, and kVariable or kNone for kLeaves. An Exact amount is in the
  // resource's unit.
  AttributionRule Of(PhaseId phase, ResourceId resource, double capacity) const;
  // Whether any rule but None holds: for blocking resources, whether it can block the phase.
  bool Concerns(PhaseId phase, ResourceId resource) const;

 private:
  const Job& job_;
  // Nodes by number; 0: no node. A phase without a named node has that of the nearest phase around.
  std::vector<uint32_t> node_of_phase_;
  std::vector<uint32_t> node_of_resource_;
  std::vector<char> is_composite_;  // by phase: others are within it
};

// When phases could not go on: an interval holds for all phases within its phase, except for those
// whose type has the rule None for its resource.
class BlockedTimes {
 public:
  explicit BlockedTimes(const Job& job);

  struct OfResource {
    ResourceId resource = 0;
    Ranges times_ns;
  };
  // By resource, ascending. Not limited to the phase's own time.
  const std::vector<OfResource>& Of(PhaseId phase) const { return lists_[list_of_[phase]].parts; }
  // All of them as one set.
  const Ranges& AllOf(PhaseId phase) const { return lists_[list_of_[phase]].all; }

 private:
  struct List {
    std::vector<OfResource> parts;
    Ranges all;
  };
  std::vector<List> lists_;        // [0] is empty
  std::vector<uint32_t> list_of_;  // by phase; most share one
};

Timeslices TimeslicesOf(const Job& job, uint64_t slice_ns);
// Attribution::active
std::vector<Ranges> ActiveSlices(const Job& job, const Timeslices& slices,
                                 const BlockedTimes& blocked);

// Fills the columns of demand of one resource.
void SumDemand(const Job& job, const PhaseRules& rules, const std::vector<Ranges>& active,
               ResourceId resource, ResourceColumns& columns);

}  // namespace gordian
