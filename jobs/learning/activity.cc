// SPDX-License-Identifier: Apache-2.0
#include "jobs/learning/activity.h"

#include <algorithm>
#include <map>

#include "jobs/attribution/upsample.h"

namespace gordian {
namespace {

std::vector<char> CompositeTypes(const Job& job, const std::vector<Ranges>& active) {
  std::vector<char> has_parts(job.phases.size());
  for (const Phase& phase : job.phases) {
    if (phase.parent != kNoId) has_parts[phase.parent] = 1;
  }
  std::vector<double> more_as_composite(job.model.types.size());
  for (PhaseId phase = 0; phase < job.phases.size(); ++phase) {
    const auto slices = static_cast<double>(SizeOf(active[phase]));
    more_as_composite[job.phases[phase].type] += has_parts[phase] ? slices : -slices;
  }
  std::vector<char> composite(more_as_composite.size());
  for (size_t type = 0; type < composite.size(); ++type)
    composite[type] = more_as_composite[type] > 0;
  return composite;
}

}  // namespace

std::vector<ResourceSample> Usable(std::span<const ResourceSample> samples) {
  std::vector<ResourceSample> usable;
  for (const ResourceSample& sample : samples) {
    if (IsUsable(sample) && (usable.empty() || sample.start_ns >= usable.back().end_ns))
      usable.push_back(sample);
  }
  return usable;
}

double CapacityOf(const Job& job, ResourceId resource) {
  const double own = job.resources[resource].capacity;
  return own > 0 ? own : job.model.resources[job.resources[resource].type].capacity;
}

Activity::Activity(const Job& job, uint64_t slice_ns)
    : job_(job),
      rules_(job),
      slices_(TimeslicesOf(job, slice_ns)),
      active_(ActiveSlices(job, slices_, BlockedTimes(job))),
      is_composite_(CompositeTypes(job, active_)) {}

std::optional<std::vector<SampleActivity>> Activity::During(std::span<const ResourceSample> samples,
                                                            ResourceId resource,
                                                            uint64_t& steps_left) const {
  std::vector<std::map<PhaseTypeId, double>> sums(samples.size());
  for (PhaseId phase = 0; phase < job_.phases.size(); ++phase) {
    if (!rules_.Concerns(phase, resource)) continue;
    const PhaseTypeId type = job_.phases[phase].type;
    for (const Range& range : active_[phase]) {
      const Range time_ns = slices_.TimesOf(range);
      auto sample = std::upper_bound(
          samples.begin(), samples.end(), time_ns.begin,
          [](uint64_t at_ns, const ResourceSample& one) { return at_ns < one.end_ns; });
      for (; sample != samples.end() && sample->start_ns < time_ns.end; ++sample) {
        if (steps_left-- == 0) return std::nullopt;
        const uint64_t begin_ns = std::max(time_ns.begin, sample->start_ns);
        const uint64_t end_ns = std::min(time_ns.end, sample->end_ns);
        sums[static_cast<size_t>(sample - samples.begin())][type] +=
            static_cast<double>(end_ns - begin_ns) /
            static_cast<double>(sample->end_ns - sample->start_ns);
      }
    }
  }
  std::vector<SampleActivity> activity;
  activity.reserve(sums.size());
  for (const auto& sum : sums) activity.emplace_back(sum.begin(), sum.end());
  return activity;
}

}  // namespace gordian
