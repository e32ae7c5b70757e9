// SPDX-License-Identifier: Apache-2.0
#include "jobs/report/use_during.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace gordian {
namespace {

struct Sum {
  double used = 0;
  double possible = 0;
  bool of_capacity = true;
};

void AddUse(const Timeslices& slices, const ResourceColumns& columns, const Ranges& at, Sum& sum) {
  for (const Range& range : at) {
    const uint64_t end = std::min<uint64_t>(range.end, std::min(columns.use.size(), slices.count));
    for (uint64_t slice = range.begin; slice < end; ++slice) {
      const double known = std::min(columns.coverage[slice], 1.0F);
      sum.used += columns.use[slice] * known;
      sum.possible += columns.capacity * known;
    }
  }
}

Ranges SlicesWithin(const Timeslices& slices, std::span<const Range> times_ns) {
  std::vector<Range> touched;
  for (const Range& time_ns : times_ns) touched.push_back(slices.Within(time_ns));
  return UnionOf(std::move(touched));
}

// A phase comes with all that lies within it.
std::vector<PhaseId> PhasesOfJob(const Job& job, PhaseId root) {
  const auto next = std::upper_bound(job.jobs.begin(), job.jobs.end(), root);
  const PhaseId end = next == job.jobs.end() ? static_cast<PhaseId>(job.phases.size()) : *next;
  std::vector<PhaseId> phases(end - root);
  std::iota(phases.begin(), phases.end(), root);
  return phases;
}

double SumWithin(const UseSeries& series, const Ranges& at) {
  double sum = 0;
  for (const Range& range : at) {
    const uint64_t begin = std::max(range.begin, series.slices.begin);
    const uint64_t end = std::min(range.end, series.slices.begin + series.use.size());
    for (uint64_t slice = begin; slice < end; ++slice)
      sum += series.use[slice - series.slices.begin];
  }
  return sum;
}

}  // namespace

std::vector<ShareOfUse> UseDuring(const JobAnalysis& analysis, std::span<const Range> times_ns) {
  const Job& job = analysis.job;
  const Timeslices& slices = analysis.attribution.slices;
  const Ranges at = SlicesWithin(slices, times_ns);
  std::vector<Sum> of_types(job.model.resources.size());
  for (ResourceId id = 0; id < job.resources.size(); ++id) {
    const ResourceColumns& columns = analysis.attribution.resources[id];
    if (columns.coverage.size() != columns.use.size()) continue;
    Sum& sum = of_types[job.resources[id].type];
    sum.of_capacity &= columns.capacity_known;
    AddUse(slices, columns, at, sum);
  }
  std::vector<ShareOfUse> shares;
  for (ResourceTypeId type = 0; type < of_types.size(); ++type) {
    const Sum& sum = of_types[type];
    if (!(sum.possible > 0)) continue;
    shares.push_back({job.model.resources[type].name, std::clamp(sum.used / sum.possible, 0.0, 1.0),
                      sum.of_capacity});
  }
  std::stable_sort(shares.begin(), shares.end(),
                   [](const ShareOfUse& a, const ShareOfUse& b) { return a.share > b.share; });
  return shares;
}

std::vector<JobShare> SharesOfJobs(const JobAnalysis& analysis,
                                   std::span<const ResourceTypeId> resources,
                                   std::span<const Range> times_ns) {
  const Job& job = analysis.job;
  const Ranges at = SlicesWithin(analysis.attribution.slices, times_ns);
  std::vector<JobShare> shares;
  for (const PhaseId root : job.jobs) shares.push_back({root, 0});
  shares.push_back({kNoId, 0});
  double all = 0;
  for (ResourceId id = 0; id < job.resources.size(); ++id) {
    const bool is_asked =
        std::find(resources.begin(), resources.end(), job.resources[id].type) != resources.end();
    const std::vector<double>& use = analysis.attribution.resources[id].use;
    if (!is_asked || use.empty()) continue;
    const double before = all;
    all += SumWithin({.slices = {0, use.size()}, .use = use}, at);
    double of_jobs = 0;
    for (size_t i = 0; i < job.jobs.size(); ++i) {
      const double used = SumWithin(
          SeriesOf(job, analysis.attribution, analysis.measured, id, PhasesOfJob(job, job.jobs[i])),
          at);
      shares[i].share += used;
      of_jobs += used;
    }
    shares.back().share += std::max(0.0, all - before - of_jobs);
  }
  for (JobShare& one : shares) one.share = all > 0 ? one.share / all : 0;
  constexpr double kSaidAsNothing = 0.005;  // as 0 %
  std::erase_if(shares, [&](const JobShare& one) { return one.share < kSaidAsNothing; });
  std::stable_sort(shares.begin(), shares.end(),
                   [](const JobShare& a, const JobShare& b) { return a.share > b.share; });
  return shares;
}

}  // namespace gordian
