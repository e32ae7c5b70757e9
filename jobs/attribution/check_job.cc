// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "jobs/attribution/attribution.h"

namespace gordian {
namespace {

// So that sums of times cannot overflow.
constexpr uint64_t kLatestNs = uint64_t{1} << 62;

absl::Status Wrong(const std::string& what) {
  return absl::InvalidArgumentError(absl::StrCat("phases: ", what));
}

absl::Status CheckTypes(const JobModel& model) {
  for (size_t type = 0; type < model.types.size(); ++type) {
    const PhaseType& it = model.types[type];
    const bool good_parent = type == 0 ? it.parent == kNoId : it.parent < type;
    if (!good_parent)
      return Wrong(absl::StrCat("type ", it.name, " must follow its parent's in the model"));
    for (const PhaseTypeId before : it.after) {
      if (before >= model.types.size() || before == type || model.types[before].parent != it.parent)
        return Wrong(absl::StrCat("type ", it.name, " is `after` one that is not its sibling"));
    }
  }
  if (model.rules.size() != model.types.size() * model.resources.size())
    return Wrong("the model needs one rule for each type and resource");
  for (const AttributionRule& rule : model.rules) {
    if (!(rule.amount >= 0 && rule.amount <= 1e15))
      return Wrong("the amount of a rule must lie between 0 and 1e15");
  }
  return absl::OkStatus();
}

absl::Status CheckPhases(const Job& job) {
  for (size_t phase = 0; phase < job.phases.size(); ++phase) {
    const Phase& it = job.phases[phase];
    if (it.type >= job.model.types.size())
      return Wrong(absl::StrCat("phase ", phase, " has a type that the model lacks"));
    if (std::max(it.start_ns, it.end_ns) > kLatestNs)
      return Wrong(absl::StrCat("phase ", phase, " ends later than any clock tells"));
    for (const PhaseId before : it.after) {
      if (before >= job.phases.size())
        return Wrong(absl::StrCat("phase ", phase, " comes after one that there is not"));
    }
    const bool good_parent = phase == 0 ? it.parent == kNoId : it.parent < phase;
    if (!good_parent) {
      return Wrong(
          absl::StrCat("phase ", phase, " of type ", job.model.types[it.type].name,
                       phase == 0 ? " is the root and has a parent" : " must follow its parent"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckResources(const Job& job) {
  for (const Resource& resource : job.resources) {
    if (resource.type >= job.model.resources.size())
      return Wrong(absl::StrCat("resource ", resource.name, " has a type that the model lacks"));
    for (const double capacity : {resource.capacity, job.model.resources[resource.type].capacity}) {
      if (!(capacity >= 0 && capacity <= 1e30)) {
        return Wrong(absl::StrCat("the capacity of resource ", resource.name,
                                  " must lie between 0 (not known) and 1e30"));
      }
    }
  }
  if (job.samples.size() > job.resources.size())
    return Wrong("there are samples of more resources than there are");
  for (const BlockedInterval& blocked : job.blocked) {
    if (blocked.phase >= job.phases.size() || blocked.resource >= job.resources.size())
      return Wrong("a blocked interval is about a phase or resource that there is not");
    const Resource& resource = job.resources[blocked.resource];
    if (job.model.resources[resource.type].kind != ResourceKind::kBlocking)
      return Wrong(absl::StrCat("resource ", resource.name, " is consumable, and cannot block"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckJob(const Job& job) {
  absl::Status status = CheckTypes(job.model);
  if (status.ok()) status = CheckPhases(job);
  if (status.ok()) status = CheckResources(job);
  return status;
}

}  // namespace gordian
