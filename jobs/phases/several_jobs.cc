// SPDX-License-Identifier: Apache-2.0
#include "jobs/phases/several_jobs.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

bool SameSamples(const std::vector<ResourceSample>& a, const std::vector<ResourceSample>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const ResourceSample& left, const ResourceSample& right) {
                      return left.start_ns == right.start_ns && left.end_ns == right.end_ns &&
                             left.use == right.use;
                    });
}

// Takes one job after the other. Numbers of a job's types, phases and resources are moved to theirs
// in the merged one; the order of parents before children stays.
class JobMerger {
 public:
  JobMerger() {
    merged_.model.name = "jobs";
    merged_.model.types.push_back({.name = "jobs"});
    merged_.phases.push_back({});
    rows_.emplace_back();
  }

  void Take(const Job& job) {
    const std::string name = NewName(job.model.name);
    TakeResources(job, name);
    TakeTypes(job, name);
    TakePhases(job);
    for (BlockedInterval blocked : job.blocked) {
      blocked.phase += first_phase_;
      blocked.resource = instances_[blocked.resource];
      merged_.blocked.push_back(blocked);
    }
  }

  Job Finish() {
    Phase& root = merged_.phases.front();
    for (size_t i = 0; i < merged_.jobs.size(); ++i) {
      const Phase& one = merged_.phases[merged_.jobs[i]];
      root.start_ns = i == 0 ? one.start_ns : std::min(root.start_ns, one.start_ns);
      root.end_ns = std::max(root.end_ns, one.end_ns);
    }
    for (const std::map<ResourceTypeId, AttributionRule>& row : rows_) {
      for (ResourceTypeId type = 0; type < merged_.model.resources.size(); ++type) {
        const auto own = row.find(type);
        merged_.model.rules.push_back(own != row.end() ? own->second : RuleOfOthers(type));
      }
    }
    std::stable_sort(merged_.blocked.begin(), merged_.blocked.end(),
                     [](const BlockedInterval& a, const BlockedInterval& b) {
                       return std::tie(a.start_ns, a.end_ns, a.phase) <
                              std::tie(b.start_ns, b.end_ns, b.phase);
                     });
    return std::move(merged_);
  }

  uint64_t contradicting_samples() const { return contradicting_samples_; }

 private:
  std::string NewName(const std::string& wanted) {
    std::string name = wanted;
    for (int number = 2; !names_.insert(name).second; ++number)
      name = absl::StrCat(wanted, " ", number);
    return name;
  }

  // What no model says of a type and a resource: leaves demand it, and nobody is blocked by what
  // belongs to another job.
  AttributionRule RuleOfOthers(ResourceTypeId type) const {
    if (merged_.model.resources[type].kind == ResourceKind::kBlocking)
      return {.kind = RuleKind::kNone};
    return {};
  }

  ResourceTypeId TypeFor(const ResourceType& type, const std::string& job_name) {
    if (type.kind == ResourceKind::kConsumable) {
      const auto [entry, is_new] = consumables_.try_emplace(
          type.name, static_cast<ResourceTypeId>(merged_.model.resources.size()));
      if (is_new) {
        merged_.model.resources.push_back(type);
      } else if (merged_.model.resources[entry->second].capacity == 0) {
        merged_.model.resources[entry->second].capacity = type.capacity;
      }
      return entry->second;
    }
    merged_.model.resources.push_back(type);
    merged_.model.resources.back().name = absl::StrCat(type.name, " of ", job_name);
    return static_cast<ResourceTypeId>(merged_.model.resources.size() - 1);
  }

  void TakeResources(const Job& job, const std::string& name) {
    resource_types_.clear();
    for (const ResourceType& type : job.model.resources)
      resource_types_.push_back(TypeFor(type, name));
    instances_.clear();
    for (ResourceId id = 0; id < job.resources.size(); ++id) {
      Resource resource = job.resources[id];
      resource.type = resource_types_[resource.type];
      const auto [entry, is_new] =
          instance_of_.try_emplace({resource.type, resource.name, resource.node},
                                   static_cast<ResourceId>(merged_.resources.size()));
      instances_.push_back(entry->second);
      if (is_new) {
        merged_.resources.push_back(std::move(resource));
        merged_.samples.push_back(job.samples[id]);
        continue;
      }
      if (merged_.resources[entry->second].capacity == 0)
        merged_.resources[entry->second].capacity = resource.capacity;
      std::vector<ResourceSample>& samples = merged_.samples[entry->second];
      if (samples.empty()) samples = job.samples[id];
      if (!job.samples[id].empty() && !SameSamples(samples, job.samples[id]))
        contradicting_samples_ += job.samples[id].size();
    }
  }

  void TakeTypes(const Job& job, const std::string& name) {
    const auto first = static_cast<PhaseTypeId>(merged_.model.types.size());
    first_type_ = first;
    for (PhaseTypeId id = 0; id < job.model.types.size(); ++id) {
      PhaseType type = job.model.types[id];
      type.parent = id == 0 ? 0 : type.parent + first;
      if (id == 0) type.name = name;
      for (PhaseTypeId& before : type.after) before += first;
      merged_.model.types.push_back(std::move(type));
      std::map<ResourceTypeId, AttributionRule>& row = rows_.emplace_back();
      for (ResourceTypeId resource = 0; resource < job.model.resources.size(); ++resource)
        row[resource_types_[resource]] = job.model.rule(id, resource);
    }
  }

  void TakePhases(const Job& job) {
    first_phase_ = static_cast<PhaseId>(merged_.phases.size());
    merged_.jobs.push_back(first_phase_);
    for (PhaseId id = 0; id < job.phases.size(); ++id) {
      Phase phase = job.phases[id];
      phase.type += first_type_;
      phase.parent = id == 0 ? 0 : phase.parent + first_phase_;
      for (PhaseId& before : phase.after) before += first_phase_;
      merged_.phases.push_back(std::move(phase));
    }
  }

  Job merged_;
  std::set<std::string> names_;
  std::map<std::string, ResourceTypeId> consumables_;
  std::map<std::tuple<ResourceTypeId, std::string, std::string>, ResourceId> instance_of_;
  std::vector<std::map<ResourceTypeId, AttributionRule>> rows_;  // by type of phase
  uint64_t contradicting_samples_ = 0;
  // Of the job at hand:
  std::vector<ResourceTypeId> resource_types_;
  std::vector<ResourceId> instances_;
  PhaseTypeId first_type_ = 0;
  PhaseId first_phase_ = 0;
};

// Earlier jobs first, as children stand by their beginning.
std::vector<const JobReading*> ByStart(std::span<const JobReading> jobs) {
  std::vector<const JobReading*> order;
  for (const JobReading& job : jobs) order.push_back(&job);
  std::stable_sort(order.begin(), order.end(), [](const JobReading* a, const JobReading* b) {
    return a->job.phases.front().start_ns < b->job.phases.front().start_ns;
  });
  return order;
}

}  // namespace

JobReading MergeJobs(std::span<const JobReading> jobs) {
  if (jobs.size() == 1) return jobs.front();
  JobMerger merger;
  JobReading merged;
  std::map<std::string, TalliedCounter> counters;
  for (const JobReading* reading : ByStart(jobs)) {
    merger.Take(reading->job);
    merged.log_lines += reading->log_lines;
    for (const TalliedCounter& counter : reading->counters) {
      TalliedCounter& sum =
          counters.try_emplace(counter.name, TalliedCounter{.name = counter.name}).first->second;
      sum.value += counter.value;
      sum.examples.insert(sum.examples.end(), counter.examples.begin(), counter.examples.end());
    }
  }
  if (const uint64_t count = merger.contradicting_samples(); count > 0) {
    TalliedCounter& sum = counters["resource_samples_overlapping"];
    sum.name = "resource_samples_overlapping";
    sum.value += count;
  }
  for (auto& [name, counter] : counters) merged.counters.push_back(std::move(counter));
  merged.job = merger.Finish();
  return merged;
}

}  // namespace gordian
