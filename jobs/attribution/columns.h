// SPDX-License-Identifier: Apache-2.0
// The loops over whole columns (one value per timeslice), plain enough for the compiler to
// vectorise: this is where the time of the attribution goes.
#pragma once

#include <cstdint>
#include <span>

namespace gordian {

// Gives `total` to the places in proportion to their weights (the larger `level`, the more), each
// at most its room. Adds to `amounts`, takes from `rooms`. Returns the given amount, which is less
// than `total` only if all places with a weight are full.
double FillProportionally(std::span<const double> weights, double total, std::span<double> rooms,
                          std::span<double> amounts);

// sums[i] += scale * counts[i]
void AddScaled(std::span<const int32_t> counts, double scale, std::span<double> sums);

// How one timeslice's use is split: each phase with an Exact demand gets that share of its demand,
// each Variable one so much per weight.
struct SliceSplits {
  std::span<double> exact_share;  // 0 … 1
  std::span<double> per_weight;
};
// Exact phases come first, the rest goes by weight. Use above the capacity, or without a phase that
// demands, belongs to no phase.
void SplitSlices(std::span<const double> use, std::span<const double> exact_demand,
                 std::span<const double> variable_demand, double capacity,
                 const SliceSplits& splits);

double SumOf(std::span<const double> values);
// Sum of |a - b|.
double DistanceOf(std::span<const double> a, std::span<const double> b);

}  // namespace gordian
