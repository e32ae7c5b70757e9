// SPDX-License-Identifier: Apache-2.0
#include "jobs/learning/least_squares.h"

#include <algorithm>
#include <cmath>

namespace gordian {
namespace {

constexpr int kMostRounds = 1000;
constexpr double kSettled = 1e-3;

}  // namespace

LeastSquares::LeastSquares(size_t columns)
    : columns_(columns), products_(columns * columns), targets_(columns) {}

void LeastSquares::AddRow(std::span<const std::pair<size_t, double>> amounts, double value,
                          double importance) {
  for (const auto& [a, amount] : amounts) {
    targets_[a] += importance * amount * value;
    for (const auto& [b, other] : amounts) Product(a, b) += importance * amount * other;
  }
}

std::vector<double> LeastSquares::Solve(std::span<const double> prior, double trust) const {
  std::vector<double> weights(prior.begin(), prior.end());
  for (int round = 0; round < kMostRounds; ++round) {
    double largest = 0;
    double most_changed = 0;
    for (size_t column = 0; column < columns_; ++column) {
      const std::span<const double> products =
          std::span(products_).subspan(column * columns_, columns_);
      double explained = 0;
      for (size_t other = 0; other < columns_; ++other)
        explained += products[other] * weights[other];
      const double own = products[column];
      const double asked = trust * prior[column] + targets_[column];
      const double best = (asked - explained + own * weights[column]) / (trust + own);
      const double weight = std::max(0.0, best);
      most_changed = std::max(most_changed, std::abs(weight - weights[column]));
      weights[column] = weight;
      largest = std::max(largest, weight);
    }
    if (most_changed <= kSettled * largest) break;
  }
  return weights;
}

}  // namespace gordian
