// SPDX-License-Identifier: Apache-2.0
// The law of costs: robust least squares.
#include <algorithm>
#include <cmath>

#include "whatif/requests/requests.h"

namespace gordian {
namespace {

// Huber's: beyond so many standard deviations a visit counts less. 95 % as good as plain least
// squares where nothing is far off.
constexpr double kHuber = 1.345;
// A normal distribution's standard deviation in median deviations.
constexpr double kOfMedianDeviation = 1.4826;
constexpr int kRoundsOfWeights = 20;
// Of the largest on the diagonal. Smaller pivots are rounding errors of columns that depend on each
// other.
constexpr double kLeastPivot = 1e-9;

using Matrix = std::vector<std::vector<double>>;

// By Gauss with pivots on the diagonal; nothing if it has no single solution.
std::optional<std::vector<double>> Solve(Matrix rows, std::vector<double> right) {
  double largest = 0;
  for (size_t i = 0; i < rows.size(); ++i) largest = std::max(largest, rows[i][i]);
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i][i] <= kLeastPivot * largest) return std::nullopt;
    for (size_t below = i + 1; below < rows.size(); ++below) {
      const double factor = rows[below][i] / rows[i][i];
      for (size_t column = i; column < rows.size(); ++column)
        rows[below][column] -= factor * rows[i][column];
      right[below] -= factor * right[i];
    }
  }
  std::vector<double> solution(rows.size());
  for (size_t i = rows.size(); i-- > 0;) {
    double rest = right[i];
    for (size_t column = i + 1; column < rows.size(); ++column)
      rest -= rows[i][column] * solution[column];
    solution[i] = rest / rows[i][i];
  }
  return solution;
}

class CostFit {
 public:
  CostFit(std::span<const VisitCost> visits, std::vector<size_t> kinds)
      : visits_(visits), kinds_(std::move(kinds)), weights_(visits.size(), 1.0) {}

  // The cost of the visit itself, then of each kind.
  std::optional<std::vector<double>> Fit() {
    auto costs = FitOnce();
    for (int round = 0; costs && round < kRoundsOfWeights; ++round) {
      if (!Reweigh(*costs)) break;
      costs = FitOnce();
    }
    return costs;
  }

 private:
  double Of(const VisitCost& visit, size_t column) const {
    return column == 0 ? 1 : visit.stops[kinds_[column - 1]];
  }

  std::optional<std::vector<double>> FitOnce() const {
    const size_t columns = kinds_.size() + 1;
    Matrix rows(columns, std::vector<double>(columns));
    std::vector<double> right(columns);
    for (size_t visit = 0; visit < visits_.size(); ++visit) {
      for (size_t i = 0; i < columns; ++i) {
        const double weighed = weights_[visit] * Of(visits_[visit], i);
        for (size_t j = 0; j < columns; ++j) rows[i][j] += weighed * Of(visits_[visit], j);
        right[i] += weighed * visits_[visit].run_ns;
      }
    }
    return Solve(std::move(rows), std::move(right));
  }

  // False if most visits are met exactly.
  bool Reweigh(std::span<const double> costs) {
    std::vector<double> misses;
    misses.reserve(visits_.size());
    for (const VisitCost& visit : visits_) {
      double told = 0;
      for (size_t i = 0; i < costs.size(); ++i) told += costs[i] * Of(visit, i);
      misses.push_back(std::abs(visit.run_ns - told));
    }
    std::vector<double> sorted = misses;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    const double near = kHuber * kOfMedianDeviation * *middle;
    if (near <= 0) return false;
    for (size_t i = 0; i < misses.size(); ++i)
      weights_[i] = misses[i] <= near ? 1 : near / misses[i];
    return true;
  }

  const std::span<const VisitCost> visits_;
  const std::vector<size_t> kinds_;
  std::vector<double> weights_;
};

bool Varies(std::span<const VisitCost> visits, size_t kind) {
  return std::any_of(visits.begin(), visits.end(), [&](const VisitCost& visit) {
    return visit.stops[kind] != visits.front().stops[kind];
  });
}

}  // namespace

std::vector<std::optional<double>> CostsOfStops(std::span<const VisitCost> visits) {
  if (visits.empty()) return {};
  const size_t all = visits.front().stops.size();
  std::vector<std::optional<double>> costs(all);
  std::vector<size_t> kinds;
  for (size_t kind = 0; kind < all; ++kind)
    if (Varies(visits, kind)) kinds.push_back(kind);
  // A kind with a negative cost stands for something else that these visits have less of. Without
  // it the others are fitted anew, the most negative first.
  while (!kinds.empty()) {
    const auto fit = CostFit(visits, kinds).Fit();
    if (!fit) {
      kinds.pop_back();  // it depends on those before
      continue;
    }
    const auto least = std::min_element(fit->begin() + 1, fit->end());
    if (*least >= 0) {
      for (size_t i = 0; i < kinds.size(); ++i) costs[kinds[i]] = (*fit)[i + 1];
      break;
    }
    const auto worst = least - (fit->begin() + 1);
    costs[kinds[static_cast<size_t>(worst)]] = 0;
    kinds.erase(kinds.begin() + worst);
  }
  return costs;
}

}  // namespace gordian
