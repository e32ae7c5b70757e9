// SPDX-License-Identifier: Apache-2.0
// The attribution as a table: which phase used and wanted how much of a resource in which
// timeslice.
#pragma once

#include <functional>
#include <span>

#include "jobs/attribution/attribution.h"

namespace gordian {

// Of a phase by itself, without those within it. The values hold for each of the timeslices, one
// after the other; what all rows of a timeslice used adds up to the resource's use.
struct OwnUse {
  PhaseId phase = kNoId;  // kNoId: used by no phase
  Range slices;
  double use = 0;           // in the resource's unit
  double exact_demand = 0;  // likewise
  double weight = 0;        // of Variable phases
  bool measured = false;    // known from records, not estimated
  bool SameAs(const OwnUse& other) const {
    return phase == other.phase && use == other.use && exact_demand == other.exact_demand &&
           weight == other.weight && measured == other.measured;
  }
};

// Calls it with each phase's rows in order of time, phase by phase, then with what no phase used.
// Rows in which nothing is used and nothing wanted are left out. `measured` as given to Attribute.
// Takes time for phases + pieces + rows' timeslices, and memory for a few columns.
void ForEachOwnUse(const Job& job, const Attribution& attribution,
                   std::span<const MeasuredUse> measured, ResourceId resource,
                   const std::function<void(const OwnUse&)>& function);

}  // namespace gordian
