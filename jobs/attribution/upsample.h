// SPDX-License-Identifier: Apache-2.0
// From samples to use per timeslice.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "jobs/attribution/attribution.h"

namespace gordian {

// A sample that says something: it has a length, and its use is a number that can be.
bool IsUsable(const ResourceSample& sample);

struct UpsampleCounts {
  uint64_t bad_samples = 0;          // empty, negative or not a number: left out
  uint64_t overlapping_samples = 0;  // begin before the one before ends: cut
  uint64_t samples_outside = 0;      // not within the job at all: left out
  uint64_t samples_over_capacity = 0;
  uint64_t samples_below_records = 0;  // tell less than the measured use meanwhile
  uint64_t slices_without_use = 0;     // neither samples nor records, though the resource has some
};

// Adds each sample's use to `columns.use` and `columns.coverage`; the demand is there already.
// `known_use` is the measured use per timeslice (0: not measured; empty: no timeslice is): it stays
// as it is, and only the rest of a sample is spread.
void UpsampleAll(std::span<const ResourceSample> samples, const Timeslices& slices,
                 Upsampling upsampling, std::span<const double> known_use, ResourceColumns& columns,
                 UpsampleCounts& counts);

}  // namespace gordian
