// SPDX-License-Identifier: Apache-2.0
#include "jobs/attribution/test_jobs.h"

#include <cmath>

namespace gordian {

uint64_t MsToNs(double ms) { return static_cast<uint64_t>(std::llround(ms * 1e6)); }

PhaseTypeId JobBuilder::Type(const std::string& name, PhaseTypeId parent, PhaseRepeat repeat,
                             std::vector<PhaseTypeId> after, PhasePlace place) {
  job_.model.types.push_back({name, parent, repeat, place, std::move(after)});
  return static_cast<PhaseTypeId>(job_.model.types.size() - 1);
}

ResourceId JobBuilder::Consumable(const std::string& name, double capacity) {
  job_.model.resources.push_back({name, ResourceKind::kConsumable, true, capacity, "units"});
  job_.resources.push_back(
      {static_cast<ResourceTypeId>(job_.model.resources.size() - 1), name, "", capacity});
  job_.samples.resize(job_.resources.size());
  return static_cast<ResourceId>(job_.resources.size() - 1);
}

ResourceId JobBuilder::Blocking(const std::string& name) {
  const ResourceId resource = Consumable(name, 0);
  job_.model.resources.back().kind = ResourceKind::kBlocking;
  return resource;
}

void JobBuilder::Rule(PhaseTypeId type, ResourceId resource, RuleKind kind, double amount) {
  rules_[{type, resource}] = {kind, amount};
}

PhaseId JobBuilder::Add(PhaseTypeId type, PhaseId parent, double start_ms, double end_ms,
                        const std::string& key) {
  Phase phase;
  phase.type = type;
  phase.parent = parent;
  phase.key = key;
  phase.start_ns = MsToNs(start_ms);
  phase.end_ns = MsToNs(end_ms);
  job_.phases.push_back(phase);
  return static_cast<PhaseId>(job_.phases.size() - 1);
}

void JobBuilder::Sample(ResourceId resource, double start_ms, double end_ms, double use) {
  job_.samples[resource].push_back({MsToNs(start_ms), MsToNs(end_ms), use});
}

void JobBuilder::Block(PhaseId phase, ResourceId resource, double start_ms, double end_ms) {
  job_.blocked.push_back({phase, resource, MsToNs(start_ms), MsToNs(end_ms)});
}

Job JobBuilder::Build() const {
  Job job = job_;
  job.model.rules.resize(job.model.types.size() * job.model.resources.size());
  for (const auto& [at, rule] : rules_)
    job.model.rules[at.first * job.model.resources.size() + at.second] = rule;
  return job;
}

JobBuilder JobOfDemands(const std::vector<SliceDemand>& demands) {
  JobBuilder builder;
  const PhaseTypeId job = builder.Type("Job");
  const ResourceId resource = builder.Consumable("r", 100);
  builder.Rule(job, resource, RuleKind::kNone);
  builder.Add(job, kNoId, 0, 10.0 * static_cast<double>(demands.size()));
  for (size_t i = 0; i < demands.size(); ++i) {
    const double start_ms = 10.0 * static_cast<double>(i);
    const auto add = [&](const std::string& name, RuleKind kind, double amount) {
      const PhaseTypeId type = builder.Type(name + std::to_string(i), job);
      builder.Rule(type, resource, kind, amount);
      builder.Add(type, 0, start_ms, start_ms + 10);
    };
    if (demands[i].exact > 0) add("E", RuleKind::kExact, demands[i].exact / 100);
    if (demands[i].weight > 0) add("V", RuleKind::kVariable, demands[i].weight);
  }
  return builder;
}

}  // namespace gordian
