// SPDX-License-Identifier: Apache-2.0
#include "jobs/attribution/columns.h"

#include <algorithm>
#include <cstddef>

namespace gordian {
namespace {

struct Filled {
  double in_full_places = 0;
  double weight_of_others = 0;
  int64_t others = 0;
};

// The places that are full at this level, and the others.
Filled FillTo(double level, const double* weights, const double* rooms, size_t size) {
  double in_full_places = 0;
  double weight_of_others = 0;
  double others = 0;
#pragma omp simd reduction(+ : in_full_places, weight_of_others, others)
  for (size_t i = 0; i < size; ++i) {
    const double wanted = level * weights[i];
    const bool full = wanted >= rooms[i];
    in_full_places += full && weights[i] > 0 ? rooms[i] : 0.0;
    weight_of_others += full ? 0.0 : weights[i];
    others += full ? 0.0 : 1.0;
  }
  return {in_full_places, weight_of_others, static_cast<int64_t>(others)};
}

}  // namespace

// The amount that fits below a level is a concave, piecewise linear function of the level. Newton's
// method from below finds the level: it assumes that only the places full at the present level are
// full, which never overshoots. Each round fills at least one more place or ends; in practice two
// or three rounds do.
double FillProportionally(std::span<const double> weights, double total, std::span<double> rooms,
                          std::span<double> amounts) {
  const size_t size = weights.size();
  if (!(total > 0)) return 0;
  Filled filled = FillTo(0, weights.data(), rooms.data(), size);
  double level = 0;
  bool all_full = filled.weight_of_others <= 0;
  if (all_full) return 0;
  while (true) {
    level = std::max(level, (total - filled.in_full_places) / filled.weight_of_others);
    const Filled next = FillTo(level, weights.data(), rooms.data(), size);
    all_full = next.weight_of_others <= 0;
    if (all_full || next.others >= filled.others) break;
    filled = next;
  }
  double given = 0;
  const double* weight = weights.data();
  double* room = rooms.data();
  double* amount = amounts.data();
#pragma omp simd reduction(+ : given)
  for (size_t i = 0; i < size; ++i) {
    const double wanted = all_full ? room[i] : level * weight[i];
    const double part = weight[i] > 0 ? (wanted < room[i] ? wanted : room[i]) : 0.0;
    amount[i] += part;
    room[i] -= part;
    given += part;
  }
  return given;
}

void AddScaled(std::span<const int32_t> counts, double scale, std::span<double> sums) {
  const int32_t* count = counts.data();
  double* sum = sums.data();
#pragma omp simd
  for (size_t i = 0; i < counts.size(); ++i) sum[i] += scale * count[i];
}

void SplitSlices(std::span<const double> use, std::span<const double> exact_demand,
                 std::span<const double> variable_demand, double capacity,
                 const SliceSplits& splits) {
  const double* used = use.data();
  const double* exact = exact_demand.data();
  const double* variable = variable_demand.data();
  double* exact_share = splits.exact_share.data();
  double* per_weight = splits.per_weight.data();
#pragma omp simd
  for (size_t i = 0; i < use.size(); ++i) {
    const double shared = used[i] < capacity ? used[i] : capacity;
    const double first = shared < exact[i] ? shared : exact[i];
    const double rest = shared - first;
    // The divisors are made harmless rather than the division conditional: it vectorises.
    exact_share[i] = first / (exact[i] > 0 ? exact[i] : 1.0);
    per_weight[i] = variable[i] > 0 ? rest / (variable[i] > 0 ? variable[i] : 1.0) : 0.0;
  }
}

double SumOf(std::span<const double> values) {
  const double* value = values.data();
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (size_t i = 0; i < values.size(); ++i) sum += value[i];
  return sum;
}

double DistanceOf(std::span<const double> a, std::span<const double> b) {
  const double* left = a.data();
  const double* right = b.data();
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (size_t i = 0; i < a.size(); ++i) {
    const double difference = left[i] - right[i];
    sum += difference < 0 ? -difference : difference;
  }
  return sum;
}

}  // namespace gordian
