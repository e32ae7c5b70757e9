// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "base/time_units.h"
#include "jobs/attribution/own_use.h"
#include "jobs/report/job_report.h"

namespace gordian {
namespace {

using Column = std::vector<double>;

// Bins of equal length, each of several timeslices; the last one may have fewer.
struct Bins {
  uint64_t per_bin = 1;
  size_t count = 0;

  void Add(Range slices, double value, Column& sums) const {
    if (value == 0) return;
    if (sums.empty()) sums.resize(count);
    for (uint64_t at = slices.begin; at < slices.end;) {
      const uint64_t bin = std::min<uint64_t>(at / per_bin, count - 1);
      const uint64_t end = std::min(slices.end, (bin + 1) * per_bin);
      sums[bin] += value * static_cast<double>(end - at);
      at = end;
    }
  }
  float Average(double sum) const { return static_cast<float>(sum / static_cast<double>(per_bin)); }
};

struct TypeColumns {
  Column use;
  Column exact_demand;
  Column weight;
  double total_use = 0;
};

bool IsDrawn(const ResourceColumns& columns) {
  return !columns.use.empty() && columns.total_use > 0;
}

// The numbers that one bin of all series holds: of a type its use and one of the demands.
size_t NumbersOfABin(const JobAnalysis& analysis) {
  const Job& job = analysis.job;
  const Attribution& attribution = analysis.attribution;
  size_t numbers = 0;
  for (ResourceId id = 0; id < attribution.resources.size(); ++id) {
    if (!IsDrawn(attribution.resources[id])) continue;
    std::vector<bool> uses(job.model.types.size());
    for (PhaseId phase = 0; phase < job.phases.size(); ++phase) {
      if (attribution.At(attribution.own_use, phase, id) > 0) uses[job.phases[phase].type] = true;
    }
    numbers += 3 + 2 * static_cast<size_t>(std::count(uses.begin(), uses.end(), true));
  }
  return numbers;
}

Bins BinsFor(const JobAnalysis& analysis, const SeriesLimits& limits) {
  const uint64_t slices = analysis.attribution.slices.count;
  const size_t numbers = std::max<size_t>(NumbersOfABin(analysis), 1);
  const uint64_t most = std::max<uint64_t>(std::min(limits.bins, limits.numbers / numbers), 1);
  const uint64_t per_bin = std::max<uint64_t>((slices + most - 1) / most, 1);
  return {.per_bin = per_bin, .count = (slices + per_bin - 1) / per_bin};
}

void SetColumn(const Bins& bins, const Column& slices,
               google::protobuf::RepeatedField<float>& field) {
  Column sums(bins.count);
  for (uint64_t at = 0; at < slices.size(); ++at) bins.Add({at, at + 1}, slices[at], sums);
  for (const double sum : sums) field.Add(bins.Average(sum));
}

// Bins in which the type neither used nor wanted anything are cut off at both ends.
void AddTypeSeries(const Bins& bins, PhaseTypeId type, const TypeColumns& columns,
                   pb::ResourceSeries& series) {
  size_t first = bins.count;
  size_t end = 0;
  for (const Column* column : {&columns.use, &columns.exact_demand, &columns.weight}) {
    for (size_t bin = 0; bin < column->size(); ++bin) {
      if ((*column)[bin] == 0) continue;
      first = std::min(first, bin);
      end = std::max(end, bin + 1);
    }
  }
  if (first >= end) return;
  pb::TypeSeries& row = *series.add_types();
  row.set_type(type);
  row.set_first_bin(static_cast<uint32_t>(first));
  const auto set = [&](const Column& column, google::protobuf::RepeatedField<float>& field) {
    if (column.empty()) return;
    for (size_t bin = first; bin < end; ++bin) field.Add(bins.Average(column[bin]));
  };
  set(columns.use, *row.mutable_use());
  set(columns.exact_demand, *row.mutable_demand());
  set(columns.weight, *row.mutable_variable_demand());
}

std::map<PhaseTypeId, TypeColumns> ColumnsByType(const JobAnalysis& analysis, const Bins& bins,
                                                 ResourceId resource) {
  std::map<PhaseTypeId, TypeColumns> of_types;
  ForEachOwnUse(analysis.job, analysis.attribution, analysis.measured, resource,
                [&](const OwnUse& row) {
                  if (row.phase == kNoId) return;
                  TypeColumns& columns = of_types[analysis.job.phases[row.phase].type];
                  bins.Add(row.slices, row.use, columns.use);
                  bins.Add(row.slices, row.exact_demand, columns.exact_demand);
                  bins.Add(row.slices, row.weight, columns.weight);
                  columns.total_use += row.use * static_cast<double>(row.slices.size());
                });
  return of_types;
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

void AddSeries(const JobAnalysis& analysis, const SeriesLimits& limits, pb::Report& report) {
  const Attribution& attribution = analysis.attribution;
  if (attribution.slices.count == 0) return;
  const Bins bins = BinsFor(analysis, limits);
  for (ResourceId id = 0; id < attribution.resources.size(); ++id) {
    const ResourceColumns& columns = attribution.resources[id];
    if (!IsDrawn(columns)) continue;
    pb::ResourceSeries& series = *report.add_series();
    series.set_resource(id);
    series.set_bin_s(SecondsOf(bins.per_bin * attribution.slices.slice_ns));
    series.set_capacity(columns.capacity_known ? columns.capacity : 0);
    SetColumn(bins, columns.use, *series.mutable_use());
    SetColumn(bins, columns.exact_demand, *series.mutable_demand());
    SetColumn(bins, columns.variable_demand, *series.mutable_variable_demand());
    const std::map<PhaseTypeId, TypeColumns> of_types = ColumnsByType(analysis, bins, id);
    std::vector<PhaseTypeId> order;
    order.reserve(of_types.size());
    for (const auto& [type, unused] : of_types) order.push_back(type);
    std::stable_sort(order.begin(), order.end(), [&](PhaseTypeId a, PhaseTypeId b) {
      return of_types.at(a).total_use > of_types.at(b).total_use;
    });
    for (const PhaseTypeId type : order) AddTypeSeries(bins, type, of_types.at(type), series);
  }
}

}  // namespace gordian
