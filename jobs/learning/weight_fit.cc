// SPDX-License-Identifier: Apache-2.0
#include "jobs/learning/weight_fit.h"

#include <algorithm>

#include "jobs/learning/least_squares.h"

namespace gordian {
namespace {

constexpr size_t kMostKinds = 1000;  // a matrix of their squares
constexpr int kTurns = 8;
constexpr double kLeastTrust = 1e-6;  // samples that explain each other to the last bit

}  // namespace

void WeightFit::Add(const Sample& sample) {
  if (sample.activity->empty()) return;  // outside of the job
  Row row{.use = sample.use, .length_ns = sample.length_ns, .capacity = sample.capacity};
  for (const auto& [type, amount] : *sample.activity) {
    const auto [column, is_new] = column_of_.try_emplace(type, kinds_.size());
    if (is_new) kinds_.push_back(type);
    row.amounts.emplace_back(column->second, amount);
    all_ += amount * row.length_ns;
    if (!activity_.IsComposite(type)) leaves_ += amount * row.length_ns;
    if (sample.known.empty()) continue;
    const auto known = std::lower_bound(
        sample.known.begin(), sample.known.end(), type,
        [](const std::pair<PhaseTypeId, double>& one, PhaseTypeId at) { return one.first < at; });
    const bool is_there = known != sample.known.end() && known->first == type;
    row.known.push_back(is_there ? known->second : 0);
  }
  used_ += row.use * row.length_ns;
  length_ns_ += row.length_ns;
  rows_.push_back(std::move(row));
}

bool WeightFit::IsEmpty() const {
  return rows_.empty() || kinds_.size() > kMostKinds || !(used_ > 0);
}

FittedWeights WeightFit::Fit() const {
  const double mean_ns = length_ns_ / static_cast<double>(rows_.size());
  const double level = used_ / (leaves_ > 0 ? leaves_ : all_);
  const std::vector<double> prior = Prior(level);
  std::vector<char> left_out(rows_.size());
  std::vector<double> information(kinds_.size());
  std::vector<double> weights = prior;
  double trust = 1;
  // Weights, trust and full samples follow from each other; a few turns settle them.
  for (int turn = 0; turn < kTurns; ++turn) {
    LeastSquares squares(kinds_.size());
    std::fill(information.begin(), information.end(), 0.0);
    size_t used_rows = 0;
    for (size_t i = 0; i < rows_.size(); ++i) {
      left_out[i] = turn > 0 && IsFull(rows_[i], weights) ? 1 : 0;
      if (left_out[i] != 0) continue;
      ++used_rows;
      const Row& row = rows_[i];
      const double importance = row.length_ns / mean_ns;
      for (const auto& [column, amount] : row.amounts)
        information[column] += importance * amount * amount;
      if (row.known.empty()) squares.AddRow(row.amounts, row.use, importance);
      for (size_t k = 0; k < row.known.size(); ++k)
        squares.AddRow(std::span(row.amounts).subspan(k, 1), row.known[k], importance);
    }
    if (used_rows == 0) break;
    weights = squares.Solve(prior, trust);
    trust = std::max(kLeastTrust, Unexplained(weights, left_out) / (level * level));
  }
  FittedWeights fitted{.level = level, .of = {}};
  for (const auto& [type, column] : column_of_)
    fitted.of[type] = {weights[column], information[column] > trust};
  return fitted;
}

bool WeightFit::IsFull(const Row& row, std::span<const double> weights) const {
  if (!(row.capacity > 0)) return false;
  double wanted = 0;
  for (const auto& [column, amount] : row.amounts) wanted += amount * weights[column];
  return wanted >= row.capacity;
}

std::vector<double> WeightFit::Prior(double level) const {
  std::vector<double> prior(kinds_.size());
  for (size_t column = 0; column < kinds_.size(); ++column)
    prior[column] = leaves_ > 0 && activity_.IsComposite(kinds_[column]) ? 0 : level;
  return prior;
}

// The variance of what the weights leave of the samples' use.
double WeightFit::Unexplained(std::span<const double> weights,
                              std::span<const char> left_out) const {
  double sum = 0;
  double length_ns = 0;
  for (size_t i = 0; i < rows_.size(); ++i) {
    if (left_out[i] != 0) continue;
    const Row& row = rows_[i];
    double rest = row.use;
    double of_kinds = 0;
    for (size_t k = 0; k < row.amounts.size(); ++k) {
      const auto& [column, amount] = row.amounts[k];
      rest -= amount * weights[column];
      if (row.known.empty()) continue;
      const double of_kind = row.known[k] - amount * weights[column];
      of_kinds += of_kind * of_kind;
    }
    sum += (row.known.empty() ? rest * rest : of_kinds) * row.length_ns;
    length_ns += row.length_ns;
  }
  return length_ns > 0 ? sum / length_ns : 0;
}

}  // namespace gordian
