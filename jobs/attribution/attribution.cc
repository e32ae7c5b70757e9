// SPDX-License-Identifier: Apache-2.0
#include "jobs/attribution/attribution.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/parallel.h"
#include "jobs/attribution/columns.h"
#include "jobs/attribution/demand.h"
#include "jobs/attribution/measured.h"
#include "jobs/attribution/upsample.h"

namespace gordian {
namespace {

// sums[i] is the sum of the first i values.
std::vector<double> RunningSums(std::span<const double> values) {
  std::vector<double> sums(values.size() + 1, 0.0);
  for (size_t i = 0; i < values.size(); ++i) sums[i + 1] = sums[i] + values[i];
  return sums;
}

double SumOver(std::span<const double> running_sums, const Ranges& ranges) {
  double sum = 0;
  for (const Range& range : ranges) sum += running_sums[range.end] - running_sums[range.begin];
  return sum;
}

void SetCapacity(const Job& job, ResourceId resource, std::span<const ResourceSample> samples,
                 ResourceColumns& columns) {
  const double own = job.resources[resource].capacity;
  columns.capacity = own > 0 ? own : job.model.resources[job.resources[resource].type].capacity;
  columns.capacity_known = columns.capacity > 0;
  if (columns.capacity_known) return;
  for (const ResourceSample& sample : samples) {
    if (sample.use <= 1e30) columns.capacity = std::max(columns.capacity, sample.use);
  }
}

// One resource at a time: its columns, then the totals of its phases. Resources write to no shared
// data, so they run in parallel.
class OneResource {
 public:
  OneResource(const Job& job, const PhaseRules& rules, const AttributionOptions& options,
              Attribution& result)
      : job_(job), rules_(rules), options_(options), result_(result) {}

  void Run(ResourceId resource, const MeasuredUse* measured) {
    const Resource& it = job_.resources[resource];
    if (job_.model.resources[it.type].kind == ResourceKind::kBlocking) return;
    ResourceColumns& columns = result_.resources[resource];
    std::span<const ResourceSample> samples;
    if (resource < job_.samples.size()) samples = job_.samples[resource];
    const size_t count = result_.slices.count;
    columns.use.assign(count, 0.0);
    columns.exact_demand.assign(count, 0.0);
    columns.variable_demand.assign(count, 0.0);
    columns.coverage.assign(count, 0.0F);
    SetCapacity(job_, resource, samples, columns);
    SumDemand(job_, rules_, result_.active, resource, columns);
    std::vector<double> known_use;
    if (measured != nullptr) known_use = TakeMeasured(resource, *measured, columns);
    UpsampleAll(samples, result_.slices, options_.upsampling, known_use, columns, counts);
    for (const Range& range : columns.measured) {
      for (uint64_t slice = range.begin; slice < range.end; ++slice) {
        columns.use[slice] += known_use[slice];
        columns.coverage[slice] = 1;
      }
    }
    if (!samples.empty() || !columns.measured.empty())
      counts.slices_without_use +=
          std::count(columns.coverage.begin(), columns.coverage.end(), 0.0F);
    AttributeToPhases(resource, columns);
  }

  UpsampleCounts counts;

 private:
  double& Cell(std::vector<double>& table, PhaseId phase, ResourceId resource) const {
    return table[phase * result_.resources.size() + resource];
  }
  double seconds() const { return static_cast<double>(result_.slices.slice_ns) * 1e-9; }

  std::vector<double> TakeMeasured(ResourceId resource, const MeasuredUse& measured,
                                   ResourceColumns& columns) {
    columns.measured = MeasuredSlices(result_.slices, measured);
    std::vector<double> known_use(result_.slices.count, 0.0);
    for (const MeasuredUse::Piece& piece : measured.pieces) {
      const double added =
          AddPiece(result_.slices, columns.measured, piece, 0, known_use) * seconds();
      if (piece.phase == kNoId) continue;
      Cell(result_.own_use, piece.phase, resource) += added;
      Cell(result_.measured_use, piece.phase, resource) += added;
      columns.measured_use += added;
    }
    return known_use;
  }

  // Phases of the same rule get the same of each timeslice, so a phase's total is a difference of
  // two running sums for each of its ranges, of any length.
  void AttributeToPhases(ResourceId resource, ResourceColumns& columns) {
    std::vector<double> exact_share(columns.use.size());
    std::vector<double> per_weight(columns.use.size());
    SplitSlices(columns.use, columns.exact_demand, columns.variable_demand, columns.limit(),
                {exact_share, per_weight});
    for (const Range& range : columns.measured) {
      std::fill(exact_share.begin() + range.begin, exact_share.begin() + range.end, 0.0);
      std::fill(per_weight.begin() + range.begin, per_weight.begin() + range.end, 0.0);
    }
    const std::vector<double> exact_sums = RunningSums(exact_share);
    const std::vector<double> weight_sums = RunningSums(per_weight);
    double attributed = 0;
    for (PhaseId phase = 0; phase < job_.phases.size(); ++phase) {
      double& own = Cell(result_.own_use, phase, resource);
      const AttributionRule rule = rules_.Of(phase, resource, columns.capacity);
      if (rule.kind != RuleKind::kNone && !result_.active[phase].empty()) {
        const bool exact = rule.kind == RuleKind::kExact;
        own += rule.amount * seconds() *
               SumOver(exact ? exact_sums : weight_sums, result_.active[phase]);
      }
      attributed += own;
    }
    columns.total_use = SumOf(columns.use) * seconds();
    columns.unattributed_use = std::max(0.0, columns.total_use - attributed);
  }

  const Job& job_;
  const PhaseRules& rules_;
  const AttributionOptions& options_;
  Attribution& result_;
};

void SumUpHierarchy(const Job& job, Attribution& result) {
  result.use = result.own_use;
  const size_t width = result.resources.size();
  for (size_t phase = job.phases.size(); phase-- > 1;) {
    const size_t parent = job.phases[phase].parent;
    for (size_t resource = 0; resource < width; ++resource) {
      result.use[parent * width + resource] += result.use[phase * width + resource];
      result.measured_use[parent * width + resource] +=
          result.measured_use[phase * width + resource];
    }
  }
}

void AddCounts(const Job& job, std::span<const OneResource> workers, Attribution& result) {
  UpsampleCounts sum;
  for (const OneResource& worker : workers) {
    sum.bad_samples += worker.counts.bad_samples;
    sum.overlapping_samples += worker.counts.overlapping_samples;
    sum.samples_outside += worker.counts.samples_outside;
    sum.samples_over_capacity += worker.counts.samples_over_capacity;
    sum.samples_below_records += worker.counts.samples_below_records;
    sum.slices_without_use += worker.counts.slices_without_use;
  }
  uint64_t negative = 0;
  uint64_t too_short = 0;
  for (const Phase& phase : job.phases) {
    if (phase.end_ns < phase.start_ns) ++negative;
    if (result.slices.Of(phase.start_ns, phase.end_ns).size() == 0) ++too_short;
  }
  uint64_t unknown_capacity = 0;
  for (const ResourceColumns& columns : result.resources)
    unknown_capacity += !columns.use.empty() && !columns.capacity_known ? 1 : 0;
  for (const AttributionCount& count : {
           AttributionCount{"phases_ending_before_start", negative},
           {"phases_shorter_than_timeslice", too_short},
           {"resources_without_capacity", unknown_capacity},
           {"use_samples_unusable", sum.bad_samples},
           {"use_samples_overlapping", sum.overlapping_samples},
           {"use_samples_outside_job", sum.samples_outside},
           {"use_samples_over_capacity", sum.samples_over_capacity},
           {"use_samples_below_records", sum.samples_below_records},
           {"timeslices_without_use", sum.slices_without_use},
       }) {
    if (count.value > 0) result.counts.push_back(count);
  }
}

absl::Status CheckSize(const Job& job, const Timeslices& slices, uint64_t max_cells) {
  const uint64_t resources = std::max<uint64_t>(1, job.resources.size());
  if (slices.count > max_cells / resources) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the job's ", slices.count, " timeslices of ", slices.slice_ns, " ns for ", resources,
        " resources are too many to hold; choose longer timeslices, or look for a wrong time"));
  }
  if (job.phases.size() > max_cells / resources) {
    return absl::InvalidArgumentError(
        absl::StrCat("the job's ", job.phases.size(), " phases for ", resources,
                     " resources are too many to hold; leave out the finest phase type"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Attribution> Attribute(const Job& job, const AttributionOptions& options,
                                      std::span<const MeasuredUse> measured) {
  if (options.slice_ns == 0)
    return absl::InvalidArgumentError("a timeslice must last 1 ns or more");
  absl::Status status = CheckJob(job);
  if (status.ok()) status = CheckMeasured(job, measured);
  if (!status.ok()) return status;
  Attribution result;
  result.slices = TimeslicesOf(job, options.slice_ns);
  status = CheckSize(job, result.slices, options.max_cells);
  if (!status.ok()) return status;

  result.active = ActiveSlices(job, result.slices, BlockedTimes(job));
  result.resources.resize(job.resources.size());
  result.own_use.assign(job.phases.size() * job.resources.size(), 0.0);
  result.measured_use.assign(result.own_use.size(), 0.0);
  const PhaseRules rules(job);
  const int threads = ThreadCount(options.threads);
  std::vector<OneResource> workers(threads, OneResource(job, rules, options, result));
  ParallelFor(threads, job.resources.size(), [&](size_t resource, int worker) {
    const ResourceId id = static_cast<ResourceId>(resource);
    workers[worker].Run(id, MeasuredOf(measured, id));
  });
  SumUpHierarchy(job, result);
  AddCounts(job, workers, result);
  return result;
}

}  // namespace gordian
