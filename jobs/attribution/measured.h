// SPDX-License-Identifier: Apache-2.0
// The exact use by the records, by timeslice.
#pragma once

#include <span>
#include <vector>

#include "jobs/attribution/attribution.h"

namespace gordian {

// The timeslices of a resource that records know as a whole; pieces outside of them do not count.
Ranges MeasuredSlices(const Timeslices& slices, const MeasuredUse& measured);

// Adds a piece's use to its measured timeslices: `use` begins with timeslice `first`, and parts
// outside of it are left out. Returns the added amount, in unit · timeslices.
double AddPiece(const Timeslices& slices, std::span<const Range> measured_slices,
                const MeasuredUse::Piece& piece, uint64_t first, std::span<double> use);

// Null if there is no measurement.
const MeasuredUse* MeasuredOf(std::span<const MeasuredUse> measured, ResourceId resource);

absl::Status CheckMeasured(const Job& job, std::span<const MeasuredUse> measured);

}  // namespace gordian
