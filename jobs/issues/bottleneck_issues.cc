// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>

#include "jobs/issues/candidates.h"
#include "jobs/issues/cuts.h"

namespace gordian {
namespace {

// Of pairs: only of the resources that gain most by themselves or hold most.
constexpr size_t kPairedResources = 4;

class BottleneckJudge {
 public:
  explicit BottleneckJudge(const IssueInput& input)
      : input_(input),
        finder_(input.job, input.attribution, input.bottlenecks, input.measured),
        held_ns_(input.job.model.resources.size(), 0) {
    for (const Held& held : input.bottlenecks.held)
      held_ns_[input.job.resources[held.resource].type] += SizeOf(held.times_ns);
  }

  std::vector<Issue> All() {
    std::vector<ResourceTypeId> resources;
    for (ResourceTypeId resource = 0; resource < held_ns_.size(); ++resource) {
      if (held_ns_[resource] > 0) resources.push_back(resource);
    }
    for (const ResourceTypeId resource : resources) {
      const Cuts cuts = finder_.Without(std::vector{resource});
      issues_.push_back(Of({resource}, cuts, kNoId));
      single_gain_ns_[resource] = issues_.back().gain_ns;
      for (const PhaseTypeId type : TypesHeldBy(resource))
        issues_.push_back(Of({resource}, cuts, type));
    }
    std::sort(resources.begin(), resources.end(), [this](ResourceTypeId a, ResourceTypeId b) {
      return held_ns_[a] != held_ns_[b] ? held_ns_[a] > held_ns_[b] : a < b;
    });
    if (resources.size() > kPairedResources) resources.resize(kPairedResources);
    std::sort(resources.begin(), resources.end());
    for (size_t i = 0; i < resources.size(); ++i) {
      for (size_t j = i + 1; j < resources.size(); ++j) Pair(resources[i], resources[j]);
    }
    return std::move(issues_);
  }

 private:
  std::set<PhaseTypeId> TypesHeldBy(ResourceTypeId resource) const {
    std::set<PhaseTypeId> types;
    for (const Held& held : input_.bottlenecks.held) {
      if (input_.job.resources[held.resource].type == resource)
        types.insert(input_.job.phases[held.phase].type);
    }
    return types;
  }

  // Two that only matter together: each binds where the other is gone.
  void Pair(ResourceTypeId a, ResourceTypeId b) {
    Issue both = Of({a, b}, finder_.Without(std::vector{a, b}), kNoId);
    const double alone = static_cast<double>(single_gain_ns_[a] + single_gain_ns_[b]);
    const double makespan = static_cast<double>(input_.replay.makespan_ns());
    if (static_cast<double>(both.gain_ns) - alone > input_.options.threshold * makespan)
      issues_.push_back(std::move(both));
  }

  Issue Of(std::vector<ResourceTypeId> resources, const Cuts& cuts, PhaseTypeId type) const {
    Issue issue;
    issue.kind = IssueKind::kBottleneck;
    issue.type = type;
    const Job& job = input_.job;
    for (const Held& held : input_.bottlenecks.held) {
      const ResourceTypeId resource = job.resources[held.resource].type;
      if (std::find(resources.begin(), resources.end(), resource) == resources.end()) continue;
      if (type != kNoId && job.phases[held.phase].type != type) continue;
      uint64_t& sum_ns = held.kind == BottleneckKind::kSaturated     ? issue.saturated_ns
                         : held.kind == BottleneckKind::kSelfLimited ? issue.self_limited_ns
                                                                     : issue.blocked_ns;
      sum_ns += SizeOf(held.times_ns);
    }
    issue.resources = std::move(resources);
    for (PhaseId phase = 0; phase < job.phases.size(); ++phase) {
      if (cuts[phase].empty() || (type != kNoId && job.phases[phase].type != type)) continue;
      const int64_t shorter_ns =
          CutWithin(cuts[phase], static_cast<int64_t>(job.phases[phase].start_ns),
                    static_cast<int64_t>(job.phases[phase].end_ns));
      if (shorter_ns > 0) issue.phases.push_back({phase, shorter_ns, 0, 0});
    }
    RankPhases(input_.options.max_phases, issue);
    Judge(input_.replay, WithCuts(job, input_.replay, cuts, type), issue);
    return issue;
  }

  const IssueInput& input_;
  CutFinder finder_;
  std::vector<uint64_t> held_ns_;  // by resource type
  std::map<ResourceTypeId, int64_t> single_gain_ns_;
  std::vector<Issue> issues_;
};

}  // namespace

std::vector<Issue> BottleneckIssues(const IssueInput& input) {
  return BottleneckJudge(input).All();
}

}  // namespace gordian
