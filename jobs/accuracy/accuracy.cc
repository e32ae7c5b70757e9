// SPDX-License-Identifier: Apache-2.0
#include "jobs/accuracy/accuracy.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "jobs/attribution/columns.h"
#include "jobs/attribution/demand.h"
#include "jobs/attribution/measured.h"
#include "jobs/attribution/upsample.h"
#include "jobs/learning/learn_rules.h"

namespace gordian {
namespace {

double LengthOf(const ResourceSample& sample) {
  return static_cast<double>(sample.end_ns - sample.start_ns);
}

// Each `factor` of them that follow each other without a gap become one, their average.
std::vector<ResourceSample> Coarser(std::span<const ResourceSample> samples, uint32_t factor) {
  std::vector<ResourceSample> coarse;
  uint32_t in_last = factor;
  for (const ResourceSample& sample : samples) {
    if (!IsUsable(sample)) continue;
    const bool goes_on =
        !coarse.empty() && in_last < factor && coarse.back().end_ns == sample.start_ns;
    if (!goes_on) {
      coarse.push_back(sample);
      in_last = 1;
      continue;
    }
    ResourceSample& last = coarse.back();
    const double before = LengthOf(last);
    const double more = LengthOf(sample);
    last.use = (last.use * before + sample.use * more) / (before + more);
    last.end_ns = sample.end_ns;
    ++in_last;
  }
  return coarse;
}

// Only those within the job: outside of it no demand is known.
std::vector<ResourceSample> Within(const Timeslices& slices,
                                   std::span<const ResourceSample> samples) {
  const Range job_ns = slices.TimesOf({0, slices.count});
  std::vector<ResourceSample> within;
  for (const ResourceSample& sample : samples) {
    if (IsUsable(sample) && sample.start_ns >= job_ns.begin && sample.end_ns <= job_ns.end &&
        (within.empty() || sample.start_ns >= within.back().end_ns))
      within.push_back(sample);
  }
  return within;
}

uint64_t MedianLength(std::span<const ResourceSample> samples) {
  std::vector<uint64_t> lengths;
  for (const ResourceSample& sample : samples) lengths.push_back(sample.end_ns - sample.start_ns);
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  return *middle;
}

ResourceColumns EmptyColumns(const Job& job, ResourceId resource, const Timeslices& slices,
                             std::span<const ResourceSample> truth) {
  ResourceColumns columns;
  const double own = job.resources[resource].capacity;
  columns.capacity = own > 0 ? own : job.model.resources[job.resources[resource].type].capacity;
  columns.capacity_known = columns.capacity > 0;
  for (const ResourceSample& sample : truth) {
    if (!columns.capacity_known) columns.capacity = std::max(columns.capacity, sample.use);
  }
  for (std::vector<double>* column :
       {&columns.use, &columns.exact_demand, &columns.variable_demand})
    column->assign(slices.count, 0.0);
  columns.coverage.assign(slices.count, 0.0F);
  return columns;
}

Job Untuned(const Job& job) {
  Job untuned = job;
  for (AttributionRule& rule : untuned.model.rules) rule = {};
  return untuned;
}

// As an analysis would learn them from samples so coarse: those of all instances.
Job LearnedFrom(const Job& job, ResourceId resource, std::span<const ResourceSample> truth,
                uint32_t factor, uint64_t slice_ns) {
  Job learned = Untuned(job);
  std::vector<std::vector<ResourceSample>> samples(job.resources.size());
  for (ResourceId id = 0; id < job.resources.size(); ++id) {
    if (job.resources[id].type != job.resources[resource].type) continue;
    if (id == resource) {
      samples[id] = Coarser(truth, factor);
    } else if (id < job.samples.size()) {
      samples[id] = Coarser(job.samples[id], factor);
    }
  }
  LearnRules(samples, slice_ns, learned);
  return learned;
}

// The demand for one resource, and a place for its use.
ResourceColumns DemandOf(const Job& job, ResourceId resource, const Timeslices& slices,
                         std::span<const ResourceSample> truth) {
  ResourceColumns columns = EmptyColumns(job, resource, slices, truth);
  SumDemand(job, PhaseRules(job), ActiveSlices(job, slices, BlockedTimes(job)), resource, columns);
  return columns;
}

}  // namespace

absl::StatusOr<AccuracyTable> StudyAccuracyAgainst(const Job& job, ResourceId resource,
                                                   std::span<const ResourceSample> all_truth,
                                                   const AccuracyOptions& options) {
  absl::Status status = CheckJob(job);
  if (!status.ok()) return status;
  if (options.slice_ns == 0)
    return absl::InvalidArgumentError("a timeslice must last 1 ns or more");
  if (resource >= job.resources.size())
    return absl::InvalidArgumentError("accuracy: there is no such resource");
  const Timeslices slices = TimeslicesOf(job, options.slice_ns);
  if (slices.count > options.max_cells) {
    return absl::InvalidArgumentError(absl::StrCat("accuracy: the job's ", slices.count,
                                                   " timeslices are too many to hold; choose "
                                                   "longer ones, or look for a wrong time"));
  }
  const std::vector<ResourceSample> truth = Within(slices, all_truth);
  AccuracyTable table;
  table.resource = resource;
  table.samples = truth.size();
  table.factors = options.factors;
  for (const ResourceSample& sample : truth)
    table.total_use += sample.use * LengthOf(sample) * 1e-9;
  if (!(table.total_use > 0)) {
    return absl::FailedPreconditionError(
        absl::StrCat("accuracy: resource ", job.resources[resource].name,
                     " has no samples within the job that show any use; name another one"));
  }
  table.interval_ns = MedianLength(truth);

  for (const UpsamplingMethod method : kUpsamplingMethods) {
    ResourceColumns columns = DemandOf(method == UpsamplingMethod::kUntuned ? Untuned(job) : job,
                                       resource, slices, truth);
    const Upsampling upsampling =
        method == UpsamplingMethod::kConstant ? Upsampling::kConstant : Upsampling::kByDemand;
    AccuracyRow row = {method, {}};
    for (const uint32_t factor : options.factors) {
      if (method == UpsamplingMethod::kLearned)
        columns = DemandOf(LearnedFrom(job, resource, truth, factor, options.slice_ns), resource,
                           slices, truth);
      std::fill(columns.use.begin(), columns.use.end(), 0.0);
      UpsampleCounts counts;
      UpsampleAll(Coarser(truth, factor), slices, upsampling, {}, columns, counts);
      row.errors.push_back(SamplingError(slices, columns.use, truth));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

absl::StatusOr<AccuracyTable> StudyAccuracy(const Job& job, ResourceId resource,
                                            const AccuracyOptions& options) {
  if (resource >= job.samples.size())
    return absl::InvalidArgumentError("accuracy: there are no samples of this resource");
  return StudyAccuracyAgainst(job, resource, job.samples[resource], options);
}

double ErrorOfRules(const Job& job, ResourceId resource, const Timeslices& slices,
                    std::span<const ResourceSample> truth, uint32_t factor, Upsampling upsampling) {
  ResourceColumns columns = DemandOf(job, resource, slices, truth);
  UpsampleCounts counts;
  UpsampleAll(Coarser(truth, factor), slices, upsampling, {}, columns, counts);
  return SamplingError(slices, columns.use, truth);
}

std::vector<ResourceSample> SamplesOf(const Job& job, const MeasuredUse& measured,
                                      uint64_t slice_ns, bool by_phases_only) {
  const Timeslices slices = TimeslicesOf(job, slice_ns);
  const Ranges known = MeasuredSlices(slices, measured);
  std::vector<double> use(slices.count, 0.0);
  for (const MeasuredUse::Piece& piece : measured.pieces) {
    if (by_phases_only && piece.phase == kNoId) continue;
    AddPiece(slices, known, piece, 0, use);
  }
  std::vector<ResourceSample> samples;
  for (const Range& range : known) {
    for (uint64_t slice = range.begin; slice < range.end; ++slice) {
      const Range time_ns = slices.TimesOf({slice, slice + 1});
      samples.push_back({time_ns.begin, time_ns.end, use[slice]});
    }
  }
  return samples;
}

double SamplingError(const Timeslices& slices, std::span<const double> use,
                     std::span<const ResourceSample> truth) {
  double distance = 0;
  double total = 0;
  for (const ResourceSample& sample : truth) {
    if (!IsUsable(sample)) continue;
    const Range touched = slices.Touching({sample.start_ns, sample.end_ns});
    double found = 0;  // unit · nanoseconds
    for (uint64_t slice = touched.begin; slice < touched.end; ++slice) {
      const Range time_ns = slices.TimesOf({slice, slice + 1});
      const uint64_t overlap_ns =
          std::min(time_ns.end, sample.end_ns) - std::max(time_ns.begin, sample.start_ns);
      found += use[slice] * static_cast<double>(overlap_ns);
    }
    const double used = sample.use * LengthOf(sample);
    distance += std::abs(found - used);
    total += used;
  }
  return total > 0 ? distance / total : 0;
}

double PhaseError(const Job& job, const Attribution& estimated, const MeasuredUse& measured) {
  const Ranges known = MeasuredSlices(estimated.slices, measured);
  const double seconds = static_cast<double>(estimated.slices.slice_ns) * 1e-9;
  std::vector<double> truth(job.phases.size(), 0.0);
  std::vector<double> scratch(estimated.slices.count, 0.0);
  double total = 0;
  for (const MeasuredUse::Piece& piece : measured.pieces) {
    if (piece.phase == kNoId) continue;
    const double used = AddPiece(estimated.slices, known, piece, 0, scratch) * seconds;
    truth[piece.phase] += used;
    total += used;
  }
  const ResourceColumns& columns = estimated.resources[measured.resource];
  std::vector<double> exact_share(columns.use.size());
  std::vector<double> per_weight(columns.use.size());
  SplitSlices(columns.use, columns.exact_demand, columns.variable_demand, columns.limit(),
              {exact_share, per_weight});
  const PhaseRules rules(job);
  double distance = 0;
  for (PhaseId phase = 0; phase < job.phases.size(); ++phase) {
    const AttributionRule rule = rules.Of(phase, measured.resource, columns.capacity);
    const std::vector<double>& parts = rule.kind == RuleKind::kExact ? exact_share : per_weight;
    double estimate = 0;
    for (const Range& range : Intersect(estimated.active[phase], known)) {
      estimate +=
          rule.amount * seconds * SumOf(std::span(parts).subspan(range.begin, range.size()));
    }
    distance += std::abs(estimate - truth[phase]);
  }
  return total > 0 ? distance / total : 0;
}

}  // namespace gordian
