// SPDX-License-Identifier: Apache-2.0
#include "jobs/report/job_tables.h"

#include <algorithm>
#include <numeric>

#include "base/time_units.h"
#include "jobs/report/job_thresholds.h"
#include "jobs/report/job_words.h"

namespace gordian {
namespace {

const char* RepeatWord(PhaseRepeat repeat) {
  switch (repeat) {
    case PhaseRepeat::kOnce:
      return "once";
    case PhaseRepeat::kSequential:
      return "sequential";
    case PhaseRepeat::kConcurrent:
      return "concurrent";
  }
  return "";
}

// Half-open times may be empty, never negative.
double LengthOf(const Phase& phase) {
  return phase.end_ns > phase.start_ns ? SecondsOf(phase.end_ns - phase.start_ns) : 0;
}

class JobTables {
 public:
  JobTables(const JobAnalysis& analysis, pb::Report& report)
      : analysis_(analysis), job_(analysis.job), report_(report) {}

  void Add(const JobRecording& recording) {
    if (job_.phases.empty()) return;
    AddSummary(recording);
    AddTypes();
    AddPhases();
    AddResources();
    detailed_ = PhasesInDetail(job_);
    AddUses();
    AddBottlenecks();
  }

 private:
  double SinceStart(uint64_t time_ns) const {
    const uint64_t start_ns = job_.phases[0].start_ns;
    return time_ns >= start_ns ? SecondsOf(time_ns - start_ns) : -SecondsOf(start_ns - time_ns);
  }

  void AddSummary(const JobRecording& recording) {
    pb::JobSummary& summary = *report_.mutable_job();
    summary.set_model(job_.model.name);
    summary.set_makespan_s(static_cast<double>(analysis_.issues.trust.recorded_ns) / kNsPerSecond);
    summary.set_without_delays_s(static_cast<double>(analysis_.issues.trust.without_delays_ns) /
                                 kNsPerSecond);
    for (const ChangedThreshold& changed : ChangedThresholds(analysis_.options)) {
      pb::ChangedJobThreshold& row = *summary.add_thresholds();
      row.set_name(std::string(changed.threshold->name));
      row.set_unit(std::string(changed.threshold->unit));
      row.set_value(changed.value);
      row.set_usual(changed.usual);
    }
    summary.set_unexplained_s(static_cast<double>(analysis_.issues.trust.delays_on_path_ns) /
                              kNsPerSecond);
    summary.set_slice_s(SecondsOf(analysis_.attribution.slices.slice_ns));
    if (recording.timeline) summary.set_start_s(-SinceStart(recording.timeline->start_ns()));
  }

  void AddTypes() {
    for (PhaseTypeId id = 0; id < job_.model.types.size(); ++id) {
      const PhaseType& type = job_.model.types[id];
      pb::ReportPhaseType& row = *report_.add_phase_types();
      row.set_id(id);
      row.set_path(PathOf(job_.model, id));
      row.set_name(type.name);
      if (type.parent != kNoId) row.set_parent(type.parent);
      row.set_repeat(RepeatWord(type.repeat));
      row.set_place(PlaceWord(type.place));
    }
    for (const Phase& phase : job_.phases) {
      pb::ReportPhaseType& row = *report_.mutable_phase_types(static_cast<int>(phase.type));
      row.set_count(row.count() + 1);
      row.set_total_s(row.total_s() + LengthOf(phase));
      row.set_longest_s(std::max(row.longest_s(), LengthOf(phase)));
    }
    for (pb::ReportPhaseType& row : *report_.mutable_phase_types()) {
      if (row.count() > 0) row.set_mean_s(row.total_s() / static_cast<double>(row.count()));
    }
  }

  void AddPhases() {
    for (PhaseId id = 0; id < job_.phases.size(); ++id) {
      const Phase& phase = job_.phases[id];
      pb::ReportPhase& row = *report_.add_phases();
      row.set_id(id);
      row.set_type(phase.type);
      if (phase.parent != kNoId) row.set_parent(phase.parent);
      row.set_path(PathOf(job_, id));
      row.set_start_s(SinceStart(phase.start_ns));
      row.set_end_s(row.start_s() + LengthOf(phase));
      row.set_node(phase.node);
      row.set_pid(phase.pid);
      row.set_tid(phase.tid);
      row.set_end_assumed(phase.end_assumed);
    }
    for (const CriticalStep& step : analysis_.issues.critical_path.steps)
      report_.mutable_phases(static_cast<int>(step.phase))->set_critical(true);
  }

  void AddResources() {
    for (ResourceId id = 0; id < job_.resources.size(); ++id) {
      const Resource& resource = job_.resources[id];
      const ResourceType& type = job_.model.resources[resource.type];
      const ResourceColumns& columns = analysis_.attribution.resources[id];
      pb::ReportResource& row = *report_.add_resources();
      row.set_id(id);
      row.set_name(resource.name);
      row.set_type(type.name);
      row.set_node(resource.node);
      row.set_kind(type.kind == ResourceKind::kBlocking ? "blocking" : "consumable");
      row.set_unit(type.unit);
      row.set_capacity(columns.capacity_known ? columns.capacity : 0);
      row.set_use(columns.total_use);
      row.set_unattributed(columns.unattributed_use);
      row.set_measured(columns.measured_use);
    }
  }

  void AddUse(PhaseTypeId type, PhaseId phase, ResourceId resource, double use, double measured) {
    if (!(use > 0)) return;
    pb::AttributedUse& row = *report_.add_attribution();
    row.set_type(type);
    if (phase != kNoId) row.set_phase(phase);
    row.set_resource(resource);
    row.set_use(use);
    row.set_measured(measured);
  }

  void AddUses() {
    const Attribution& attribution = analysis_.attribution;
    const size_t resources = job_.resources.size();
    std::vector<double> use(job_.model.types.size() * resources);
    std::vector<double> measured(use.size());
    for (PhaseId phase = 0; phase < job_.phases.size(); ++phase) {
      for (ResourceId resource = 0; resource < resources; ++resource) {
        const size_t at = job_.phases[phase].type * resources + resource;
        use[at] += attribution.At(attribution.use, phase, resource);
        measured[at] += attribution.At(attribution.measured_use, phase, resource);
      }
    }
    for (size_t at = 0; at < use.size(); ++at) {
      AddUse(static_cast<PhaseTypeId>(at / resources), kNoId,
             static_cast<ResourceId>(at % resources), use[at], measured[at]);
    }
    for (PhaseId phase = 0; phase < job_.phases.size(); ++phase) {
      if (!detailed_[phase]) continue;
      for (ResourceId resource = 0; resource < resources; ++resource) {
        AddUse(job_.phases[phase].type, phase, resource,
               attribution.At(attribution.use, phase, resource),
               attribution.At(attribution.measured_use, phase, resource));
      }
    }
  }

  // A type's row is by type of resource; any instance of it names it.
  ResourceId AnyOf(ResourceTypeId type) const {
    const auto found = std::find_if(job_.resources.begin(), job_.resources.end(),
                                    [&](const Resource& one) { return one.type == type; });
    return found == job_.resources.end() ? kNoId
                                         : static_cast<ResourceId>(found - job_.resources.begin());
  }

  void AddBottleneck(PhaseTypeId type, PhaseId phase, ResourceId resource, BottleneckKind kind,
                     uint64_t time_ns, double share) {
    if (resource == kNoId) return;
    pb::ReportBottleneck& row = *report_.add_bottlenecks();
    row.set_type(type);
    if (phase != kNoId) row.set_phase(phase);
    row.set_resource(resource);
    row.set_kind(BottleneckWord(kind));
    row.set_time_s(SecondsOf(time_ns));
    row.set_share(share);
  }

  void AddBottlenecks() {
    for (const TypeBottleneck& one : analysis_.bottlenecks.by_type)
      AddBottleneck(one.type, kNoId, AnyOf(one.resource), one.kind, one.any_ns, one.share);
    for (const PhaseBottleneck& one : analysis_.bottlenecks.by_phase) {
      if (!detailed_[one.phase]) continue;
      AddBottleneck(job_.phases[one.phase].type, one.phase, one.resource, one.kind, one.any_ns,
                    one.share);
    }
  }

  const JobAnalysis& analysis_;
  const Job& job_;
  pb::Report& report_;
  std::vector<bool> detailed_;  // by phase
};

}  // namespace

std::vector<bool> PhasesInDetail(const Job& job) {
  std::vector<PhaseId> ids(job.phases.size());
  std::iota(ids.begin(), ids.end(), 0);
  if (ids.size() > kMostPhasesInDetail) {
    std::nth_element(ids.begin(), ids.begin() + kMostPhasesInDetail, ids.end(),
                     [&](PhaseId a, PhaseId b) {
                       const double length_a = LengthOf(job.phases[a]);
                       const double length_b = LengthOf(job.phases[b]);
                       return length_a != length_b ? length_a > length_b : a < b;
                     });
    ids.resize(kMostPhasesInDetail);
  }
  std::vector<bool> detailed(job.phases.size());
  for (const PhaseId id : ids) detailed[id] = true;
  return detailed;
}

void AddJobTables(const JobAnalysis& analysis, const JobRecording& recording, pb::Report& report) {
  JobTables(analysis, report).Add(recording);
}

}  // namespace gordian
