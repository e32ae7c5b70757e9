// What records know exactly, by timeslice.
#pragma once

#include <span>
#include <vector>

#include "jobs/attribution/attribution.h"

namespace gordian {

// The timeslices of a resource that records know as a whole; pieces outside of them do not count.
Ranges MeasuredSlices(const Timeslices& slices, const MeasuredUse& measured);

// Adds a piece's use to its timeslices, where measured: `use` begins with timeslice `first`, and
// what lies outside of it is left out. Returns what was added, in unit · timeslices.
double AddPiece(const Timeslices& slices, std::span<const Range> measured_slices,
                const MeasuredUse::Piece& piece, uint64_t first, std::span<double> use);

// Null where there is none.
const MeasuredUse* MeasuredOf(std::span<const MeasuredUse> measured, ResourceId resource);

absl::Status CheckMeasured(const Job& job, std::span<const MeasuredUse> measured);

}  // namespace gordian
