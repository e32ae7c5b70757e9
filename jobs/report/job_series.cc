#include <algorithm>

#include "base/time_units.h"
#include "jobs/report/job_report.h"

namespace gordian {
namespace {

constexpr size_t kTypesDrawn = 6;

// Averages of `values` over bins of `per_bin` timeslices, the first of which is slice `first`.
std::vector<float> Binned(const std::vector<double>& values, uint64_t first, uint64_t per_bin,
                          size_t bins) {
  std::vector<double> sums(bins);
  for (size_t i = 0; i < values.size(); ++i)
    sums[std::min<size_t>((first + i) / per_bin, bins - 1)] += values[i];
  std::vector<float> averages;
  averages.reserve(bins);
  for (const double sum : sums)
    averages.push_back(static_cast<float>(sum / static_cast<double>(per_bin)));
  return averages;
}

}  // namespace

std::vector<PhaseTypeId> LeafTypesByUse(const JobAnalysis& analysis, ResourceId resource) {
  const Job& job = analysis.job;
  std::vector<char> leaf(job.model.types.size(), 1);
  for (const PhaseType& type : job.model.types) {
    if (type.parent != kNoId) leaf[type.parent] = 0;
  }
  std::vector<double> use(job.model.types.size());
  for (PhaseId phase = 0; phase < job.phases.size(); ++phase)
    use[job.phases[phase].type] +=
        analysis.attribution.At(analysis.attribution.use, phase, resource);
  std::vector<PhaseTypeId> types;
  for (PhaseTypeId type = 0; type < use.size(); ++type) {
    if (leaf[type] != 0 && use[type] > 0) types.push_back(type);
  }
  std::stable_sort(types.begin(), types.end(),
                   [&](PhaseTypeId a, PhaseTypeId b) { return use[a] > use[b]; });
  return types;
}

void AddSeries(const JobAnalysis& analysis, size_t most_bins, pb::PageData& page) {
  const Attribution& attribution = analysis.attribution;
  const uint64_t slices = attribution.slices.count;
  if (slices == 0 || most_bins == 0) return;
  const uint64_t per_bin = (slices + most_bins - 1) / most_bins;
  const size_t bins = (slices + per_bin - 1) / per_bin;
  for (ResourceId id = 0; id < attribution.resources.size(); ++id) {
    const ResourceColumns& columns = attribution.resources[id];
    if (columns.use.empty() || !(columns.total_use > 0)) continue;
    pb::ResourceSeries& series = *page.add_series();
    series.set_resource(id);
    series.set_bin_s(SecondsOf(per_bin * attribution.slices.slice_ns));
    for (const float value : Binned(columns.use, 0, per_bin, bins)) series.add_use(value);
    for (const float value : Binned(columns.exact_demand, 0, per_bin, bins))
      series.add_demand(value);
    std::vector<PhaseTypeId> types = LeafTypesByUse(analysis, id);
    if (types.size() > kTypesDrawn) types.resize(kTypesDrawn);
    for (const PhaseTypeId type : types) {
      const std::vector<PhaseId> phases = PhasesOfType(analysis.job, type);
      const UseSeries use = SeriesOf(analysis.job, attribution, analysis.measured, id, phases);
      pb::TypeSeries& of_type = *series.add_types();
      of_type.set_type(type);
      for (const float value : Binned(use.use, use.slices.begin, per_bin, bins))
        of_type.add_use(value);
    }
  }
}

}  // namespace gordian
