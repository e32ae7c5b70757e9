// SPDX-License-Identifier: Apache-2.0
// How far upsampling can be trusted (Grade10, Section IV-B and Table II): samples are made coarser,
// upsampled again, and compared with the original samples.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "jobs/attribution/attribution.h"
#include "jobs/job/thresholds.h"

namespace gordian {

enum class UpsamplingMethod : uint8_t {
  kConstant,
  kUntuned,  // by demand, with the rule Leaves 1 for every phase
  kTuned,    // by demand, with the model's rules
  kLearned,  // by demand, with rules learned from the samples that are made finer
};
inline constexpr UpsamplingMethod kUpsamplingMethods[] = {
    UpsamplingMethod::kConstant, UpsamplingMethod::kUntuned, UpsamplingMethod::kTuned,
    UpsamplingMethod::kLearned};

struct AccuracyOptions {
  uint64_t slice_ns = kTimesliceNs;
  std::vector<uint32_t> factors = {1, 2, 4, 8, 16, 32, 64};
  uint64_t max_cells = AttributionOptions{}.max_cells;
};

struct AccuracyRow {
  UpsamplingMethod method = UpsamplingMethod::kConstant;
  // By factor: the sum of absolute differences as a share of the total use.
  std::vector<double> errors;
};

struct AccuracyTable {
  ResourceId resource = 0;
  uint64_t interval_ns = 0;  // the median length of the samples compared with
  uint64_t samples = 0;      // how many there are
  double total_use = 0;      // unit · seconds
  std::vector<uint32_t> factors;
  std::vector<AccuracyRow> rows;  // as kUpsamplingMethods
};

// With the job's own samples of a resource as the truth. Fails without samples, or without any use.
absl::StatusOr<AccuracyTable> StudyAccuracy(const Job& job, ResourceId resource,
                                            const AccuracyOptions& options);
// With another truth, such as records.
absl::StatusOr<AccuracyTable> StudyAccuracyAgainst(const Job& job, ResourceId resource,
                                                   std::span<const ResourceSample> truth,
                                                   const AccuracyOptions& options);

// The use of a resource by the records, as one sample for each timeslice: the machine's, or only
// what the phases used themselves. Coarse samples of the job's own use (a cgroup's, a process')
// tell nothing of other programs.
std::vector<ResourceSample> SamplesOf(const Job& job, const MeasuredUse& measured,
                                      uint64_t slice_ns, bool by_phases_only = false);

// The error of one resource with the job's rules: `truth` made `factor` times coarser, upsampled
// again, and compared. Samples that follow each other without a gap become one. Only for a job that
// CheckJob found good.
double ErrorOfRules(const Job& job, ResourceId resource, const Timeslices& slices,
                    std::span<const ResourceSample> truth, uint32_t factor,
                    Upsampling upsampling = Upsampling::kByDemand);

// The error of a series of use per timeslice.
double SamplingError(const Timeslices& slices, std::span<const double> use,
                     std::span<const ResourceSample> truth);

// Beyond the paper: how far the estimate of each phase's use is from the records' measurement, if
// there is one. The sum of absolute differences of the phases' totals, as a share of the measured
// use. `estimated` was made without records.
double PhaseError(const Job& job, const Attribution& estimated, const MeasuredUse& measured);

}  // namespace gordian
