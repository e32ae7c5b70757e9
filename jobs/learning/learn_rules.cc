// SPDX-License-Identifier: Apache-2.0
#include "jobs/learning/learn_rules.h"

#include <algorithm>

#include "jobs/attribution/upsample.h"
#include "jobs/learning/activity.h"
#include "jobs/learning/weight_fit.h"

namespace gordian {
namespace {

bool IsDefault(const AttributionRule& rule) {
  return rule.kind == RuleKind::kLeaves && rule.amount == 1;
}

// One type of resource, all of its instances.
class Learner {
 public:
  Learner(const Job& job, const Activity& activity, ResourceTypeId type)
      : job_(job), activity_(activity), type_(type), fit_(activity) {}

  // False if there is nothing to learn from, or too much.
  bool Read(std::span<const std::vector<ResourceSample>> samples, uint64_t& steps_left) {
    for (ResourceId id = 0; id < std::min(job_.resources.size(), samples.size()); ++id) {
      if (job_.resources[id].type != type_) continue;
      const std::vector<ResourceSample> usable = Usable(samples[id]);
      const auto during = activity_.During(usable, id, steps_left);
      if (!during) return false;
      const double capacity = CapacityOf(job_, id);
      for (size_t i = 0; i < usable.size(); ++i) {
        const auto length_ns = static_cast<double>(usable[i].end_ns - usable[i].start_ns);
        fit_.Add({&(*during)[i], usable[i].use, length_ns, capacity, {}});
      }
    }
    return !fit_.IsEmpty();
  }

  FittedWeights Weights() const { return fit_.Fit(); }

 private:
  const Job& job_;
  const Activity& activity_;
  const ResourceTypeId type_;
  WeightFit fit_;
};

bool IsOpen(const Job& job, ResourceTypeId resource, std::span<const MeasuredUse> measured) {
  if (job.model.resources[resource].kind == ResourceKind::kBlocking) return false;
  for (const MeasuredUse& use : measured) {
    if (job.resources[use.resource].type == resource) return false;
  }
  for (PhaseTypeId type = 0; type < job.model.types.size(); ++type) {
    if (!IsDefault(job.model.rule(type, resource))) return false;
  }
  return true;
}

}  // namespace

void LearnRules(std::span<const std::vector<ResourceSample>> samples, uint64_t slice_ns, Job& job,
                std::span<const MeasuredUse> measured) {
  uint64_t steps_left = kMostActivitySteps;
  std::vector<std::pair<ResourceTypeId, FittedWeights>> learned;
  {
    const Activity activity(job, slice_ns);
    for (ResourceTypeId type = 0; type < job.model.resources.size(); ++type) {
      if (!IsOpen(job, type, measured)) continue;
      Learner learner(job, activity, type);
      if (learner.Read(samples, steps_left)) learned.emplace_back(type, learner.Weights());
    }
  }
  const size_t columns = job.model.resources.size();
  for (const auto& [resource, weights] : learned) {
    for (const auto& [type, weight] : weights.of)
      job.model.rules[type * columns + resource] = {RuleKind::kVariable,
                                                    weight.in_unit / weights.level};
  }
}

}  // namespace gordian
