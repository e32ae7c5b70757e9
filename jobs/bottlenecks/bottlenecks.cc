// SPDX-License-Identifier: Apache-2.0
#include "jobs/bottlenecks/bottlenecks.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "jobs/attribution/demand.h"
#include "jobs/attribution/measured.h"
#include "jobs/bottlenecks/held_slices.h"

namespace gordian {
namespace {

Ranges TimesOf(const Timeslices& slices, const Ranges& ranges, Range within_ns) {
  Ranges times_ns;
  for (const Range& range : ranges) {
    const Range whole = slices.TimesOf(range);
    times_ns.push_back(
        {std::max(whole.begin, within_ns.begin), std::min(whole.end, within_ns.end)});
  }
  return UnionOf(std::move(times_ns));
}

// Leaves, and the own parts of phases with others within.
class Finder {
 public:
  Finder(const Job& job, const Attribution& attribution, const BottleneckOptions& options,
         Bottlenecks& result)
      : job_(job), attribution_(attribution), options_(options), rules_(job), result_(result) {}

  void FindConsumable(ResourceId resource, const MeasuredUse* measured) {
    const HeldSlices held(job_, attribution_, rules_, options_, resource, measured);
    result_.saturated_slices[resource] = held.saturated();
    for (PhaseId phase = 0; phase < job_.phases.size(); ++phase) {
      const Phase& it = job_.phases[phase];
      const Range within_ns = {it.start_ns, it.end_ns};
      Add(phase, resource, BottleneckKind::kSaturated,
          TimesOf(attribution_.slices, held.SaturatedOf(phase), within_ns));
      Add(phase, resource, BottleneckKind::kSelfLimited,
          TimesOf(attribution_.slices, held.SelfLimitedOf(phase), within_ns));
    }
  }

  // Phases within a blocked phase are blocked themselves, so the phase's own part is the rest.
  void FindBlocked() {
    const BlockedTimes blocked(job_);
    std::vector<Ranges> within(job_.phases.size());
    for (PhaseId phase = 1; phase < job_.phases.size(); ++phase) {
      const Phase& it = job_.phases[phase];
      within[it.parent].push_back({it.start_ns, it.end_ns});
    }
    for (PhaseId phase = 0; phase < job_.phases.size(); ++phase) {
      const Phase& it = job_.phases[phase];
      if (blocked.Of(phase).empty() || it.start_ns >= it.end_ns) continue;
      const Ranges own =
          Subtract(Ranges{{it.start_ns, it.end_ns}}, UnionOf(std::move(within[phase])));
      for (const BlockedTimes::OfResource& part : blocked.Of(phase))
        Add(phase, part.resource, BottleneckKind::kBlocked, Intersect(own, part.times_ns));
    }
  }

 private:
  void Add(PhaseId phase, ResourceId resource, BottleneckKind kind, Ranges times_ns) {
    if (!times_ns.empty()) result_.held.push_back({phase, resource, kind, std::move(times_ns)});
  }

  const Job& job_;
  const Attribution& attribution_;
  const BottleneckOptions& options_;
  PhaseRules rules_;
  Bottlenecks& result_;
};

// From the children up, one resource and kind at a time: `held` is sorted by both, then by phase.
void SumUpHierarchy(const Job& job, std::span<const Held> held, Bottlenecks& result) {
  std::vector<Ranges> any(job.phases.size());
  std::vector<uint64_t> summed_ns(job.phases.size(), 0);
  for (const Held& it : held) {
    any[it.phase] = it.times_ns;
    summed_ns[it.phase] = SizeOf(it.times_ns);
  }
  for (size_t i = job.phases.size(); i-- > 0;) {
    if (any[i].empty()) continue;
    const Phase& phase = job.phases[i];
    const Ranges times_ns = UnionOf(std::move(any[i]));
    const uint64_t any_ns = OverlapOf(times_ns, {phase.start_ns, phase.end_ns});
    const uint64_t duration_ns = Range{phase.start_ns, phase.end_ns}.size();
    if (any_ns > 0) {
      result.by_phase.push_back({static_cast<PhaseId>(i), held[0].resource, held[0].kind, any_ns,
                                 summed_ns[i],
                                 static_cast<double>(any_ns) / static_cast<double>(duration_ns)});
    }
    if (phase.parent == kNoId) continue;
    any[phase.parent].insert(any[phase.parent].end(), times_ns.begin(), times_ns.end());
    summed_ns[phase.parent] += summed_ns[i];
  }
}

void SumByType(const Job& job, Bottlenecks& result) {
  std::vector<double> duration_ns(job.model.types.size(), 0.0);
  for (const Phase& phase : job.phases)
    duration_ns[phase.type] += static_cast<double>(Range{phase.start_ns, phase.end_ns}.size());
  // Several resources of a type (those of several nodes, two disks) can hold a phase at a time.
  std::map<std::tuple<PhaseTypeId, ResourceTypeId, BottleneckKind>, TypeBottleneck> rows;
  std::map<std::tuple<PhaseTypeId, ResourceTypeId, BottleneckKind>, PhaseId> last_phases;
  for (const PhaseBottleneck& it : result.by_phase) {
    const PhaseTypeId type = job.phases[it.phase].type;
    const ResourceTypeId resource = job.resources[it.resource].type;
    TypeBottleneck& row = rows[{type, resource, it.kind}];
    row.type = type;
    row.resource = resource;
    row.kind = it.kind;
    row.any_ns += it.any_ns;
    const auto [last, is_new] = last_phases.emplace(std::tuple(type, resource, it.kind), it.phase);
    row.phases_held += is_new || last->second != it.phase ? 1 : 0;
    last->second = it.phase;
  }
  for (auto& [key, row] : rows) {
    row.share = std::min(1.0, static_cast<double>(row.any_ns) / duration_ns[row.type]);
    result.by_type.push_back(row);
  }
}

}  // namespace

Bottlenecks FindBottlenecks(const Job& job, const Attribution& attribution,
                            const BottleneckOptions& options,
                            std::span<const MeasuredUse> measured) {
  Bottlenecks result;
  result.saturated_slices.resize(job.resources.size());
  Finder finder(job, attribution, options, result);
  for (ResourceId resource = 0; resource < job.resources.size(); ++resource) {
    if (!attribution.resources[resource].use.empty())
      finder.FindConsumable(resource, MeasuredOf(measured, resource));
  }
  finder.FindBlocked();
  const auto before = [](const auto& a, const auto& b) {
    return std::tuple(a.resource, a.kind, a.phase) < std::tuple(b.resource, b.kind, b.phase);
  };
  std::sort(result.held.begin(), result.held.end(), before);
  for (auto first = result.held.begin(); first != result.held.end();) {
    const auto last = std::find_if(first, result.held.end(), [&](const Held& it) {
      return it.resource != first->resource || it.kind != first->kind;
    });
    SumUpHierarchy(job, {first, last}, result);
    first = last;
  }
  std::sort(result.by_phase.begin(), result.by_phase.end(),
            [](const PhaseBottleneck& a, const PhaseBottleneck& b) {
              return std::tuple(a.phase, a.resource, a.kind) <
                     std::tuple(b.phase, b.resource, b.kind);
            });
  SumByType(job, result);
  return result;
}

}  // namespace gordian
