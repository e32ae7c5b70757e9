// SPDX-License-Identifier: Apache-2.0
// Which phase used how much of which resource when (Grade10, Section III-D).
//
//   phases + rules -> demand per resource and timeslice
//   samples + demand -> use per timeslice (upsampling)
//   use + demand -> use per phase; use that belongs to no phase is "unattributed", never lost
//
// The decisions are in docs/design-attribution.md. Nothing here keeps a value per phase and
// timeslice: totals are summed at once, and SeriesOf makes the series of one phase when asked.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "jobs/attribution/ranges.h"
#include "jobs/job/job.h"
#include "jobs/job/thresholds.h"

namespace gordian {

enum class Upsampling : uint8_t {
  kByDemand,  // Grade10
  kConstant,  // a sample's average in each of its timeslices: the simplest method
};

struct AttributionOptions {
  uint64_t slice_ns = kTimesliceNs;
  Upsampling upsampling = Upsampling::kByDemand;
  int threads = 0;  // 0: as many as there are CPUs
  // Timeslices times resources: each takes 28 bytes. Beyond, Attribute fails.
  uint64_t max_cells = uint64_t{1} << 26;
};

// Exact use, known from records, of one resource. Where it is known it replaces the estimate.
struct MeasuredUse {
  struct Piece {
    PhaseId phase = kNoId;  // kNoId: used by no phase
    uint64_t start_ns = 0;
    uint64_t end_ns = 0;
    double use = 0;  // average over the piece, in the resource's unit: 1 for a running thread
  };
  ResourceId resource = 0;
  Ranges known_ns;            // without gaps; timeslices wholly within count
  std::vector<Piece> pieces;  // in any order; those of one phase may overlap (several threads)
};

// The timeslices of a job. Phases start and end at their borders: at the nearest.
struct Timeslices {
  uint64_t origin_ns = 0;  // the first start of a phase
  uint64_t slice_ns = 1;
  uint64_t count = 0;

  uint64_t NearestBorder(uint64_t time_ns) const;  // 0 … count
  Range Of(uint64_t start_ns, uint64_t end_ns) const {
    return {NearestBorder(start_ns), NearestBorder(end_ns)};
  }
  // Without rounding: all timeslices that lie wholly within, or that it touches.
  Range Within(Range time_ns) const;
  Range Touching(Range time_ns) const;
  Range TimesOf(Range slices) const {
    return {origin_ns + slices.begin * slice_ns, origin_ns + slices.end * slice_ns};
  }
};

// One resource: a value per timeslice. Blocking resources have no columns.
struct ResourceColumns {
  double capacity = 0;
  bool capacity_known = false;  // else the capacity is the largest use seen, and limits nothing
  std::vector<double> use;      // average over the timeslice
  std::vector<double> exact_demand;     // in the resource's unit; may exceed the capacity
  std::vector<double> variable_demand;  // weights
  std::vector<float> coverage;          // share of the timeslice that samples or records cover
  Ranges measured;                      // timeslices

  // In unit · seconds.
  double total_use = 0;
  double unattributed_use = 0;
  double measured_use = 0;  // the part that the records gave to phases

  // The upper bound of use.
  double limit() const {
    return capacity_known ? capacity : std::numeric_limits<double>::infinity();
  }
};

// Of imperfect data; names as in trace/counters.cc.
struct AttributionCount {
  std::string_view name;
  uint64_t value = 0;
};

struct Attribution {
  Timeslices slices;
  std::vector<ResourceColumns> resources;
  // By phase: the timeslices in which it demands by itself: it runs, nothing blocks it and no phase
  // within it runs.
  std::vector<Ranges> active;
  // phases × resources, in unit · seconds.
  std::vector<double> own_use;           // by the phase itself
  std::vector<double> use;               // with all phases within
  std::vector<double> measured_use;      // the part of `use` that is measured
  std::vector<AttributionCount> counts;  // only those that are not 0

  double At(const std::vector<double>& table, PhaseId phase, ResourceId resource) const {
    return table[phase * resources.size() + resource];
  }
};

// Returns the first error in a job's ids, rules and times, as all code below relies on them. Phases
// that end before they start are no error: they count as empty.
absl::Status CheckJob(const Job& job);

absl::StatusOr<Attribution> Attribute(const Job& job, const AttributionOptions& options,
                                      std::span<const MeasuredUse> measured = {});

// Use and demand of phases, with all that is within them, of one resource: a value per timeslice of
// `slices`.
struct UseSeries {
  Range slices;
  std::vector<double> use;
  std::vector<double> exact_demand;  // in the resource's unit
  std::vector<double> weight;        // of Variable phases
};
// `measured` as given to Attribute.
UseSeries SeriesOf(const Job& job, const Attribution& attribution,
                   std::span<const MeasuredUse> measured, ResourceId resource,
                   std::span<const PhaseId> phases);
// All phases of a type.
std::vector<PhaseId> PhasesOfType(const Job& job, PhaseTypeId type);

}  // namespace gordian
