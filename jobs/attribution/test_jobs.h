// SPDX-License-Identifier: Apache-2.0
// Jobs for tests, made by hand. Times are milliseconds.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "jobs/job/job.h"

namespace gordian {

// How far two ways of adding up the same numbers may be apart.
inline constexpr double kNear = 1e-9;

class JobBuilder {
 public:
  // The first is the root. Rules not set are Leaves 1.
  PhaseTypeId Type(const std::string& name, PhaseTypeId parent = kNoId,
                   PhaseRepeat repeat = PhaseRepeat::kOnce, std::vector<PhaseTypeId> after = {},
                   PhasePlace place = PhasePlace::kAnywhere);
  // A resource type and its one instance; they have the same number.
  ResourceId Consumable(const std::string& name, double capacity);
  ResourceId Blocking(const std::string& name);
  void Rule(PhaseTypeId type, ResourceId resource, RuleKind kind, double amount = 1);

  PhaseId Add(PhaseTypeId type, PhaseId parent, double start_ms, double end_ms,
              const std::string& key = "");
  Phase& At(PhaseId phase) { return job_.phases[phase]; }
  void Sample(ResourceId resource, double start_ms, double end_ms, double use);
  void Block(PhaseId phase, ResourceId resource, double start_ms, double end_ms);

  Job Build() const;

 private:
  Job job_;
  std::map<std::pair<PhaseTypeId, ResourceId>, AttributionRule> rules_;
};

uint64_t MsToNs(double ms);

// One resource of capacity 100, timeslices of 10 ms, and in each timeslice one phase with this
// Exact demand (if not 0) and one with this weight (if not 0).
struct SliceDemand {
  double exact = 0;
  double weight = 0;
};
JobBuilder JobOfDemands(const std::vector<SliceDemand>& demands);

}  // namespace gordian
