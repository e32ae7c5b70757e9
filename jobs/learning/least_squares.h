// SPDX-License-Identifier: Apache-2.0
// Weights of at least 0 that explain values best.
//
// Each row says: the sum over columns of amount * weight is about `value`. Looked for are the
// weights with the least sum of squares of what is left, plus the squares of their distance from
// `prior`, of which each counts as `trust` rows with an amount of 1. So columns that stand in few
// rows, or always together, stay near their prior.
//
// The sum is convex. Each step gives one weight its best value with all others as they are, so the
// sum never grows; it ends when a round changes no weight by a thousandth of the largest, or after
// kMostRounds.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace gordian {

class LeastSquares {
 public:
  explicit LeastSquares(size_t columns);

  // `importance`: as much as so many rows.
  void AddRow(std::span<const std::pair<size_t, double>> amounts, double value, double importance);
  std::vector<double> Solve(std::span<const double> prior, double trust) const;

 private:
  double& Product(size_t a, size_t b) { return products_[a * columns_ + b]; }

  size_t columns_;
  std::vector<double> products_;  // sums over rows of amount * amount, by two columns
  std::vector<double> targets_;   // of amount * value, by column
};

}  // namespace gordian
