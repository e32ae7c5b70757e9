// SPDX-License-Identifier: Apache-2.0
#include "gate/rank_test.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace gordian {
namespace {

double MeanOfValues(std::span<const Sample> samples) {
  double sum = 0;
  for (const Sample& sample : samples) sum += sample.value;
  return sum / static_cast<double>(samples.size());
}

// Of nothing to nothing there is no change.
double RatioLessOne(double before, double after) {
  if (before != 0) return after / before - 1;
  return after == 0 ? 0 : std::numeric_limits<double>::infinity();
}

// The chances of 0, 1, … pairs in the wrong order, if both groups are alike. By the last of all
// values in order: it is one of the first group, and has no pair, or one of the second, and makes
// a pair with each of the first.
std::vector<double> ChancesOfPairs(size_t first, size_t second) {
  std::vector<std::vector<double>> row(second + 1);  // by the number of the second group
  for (size_t i = 0; i <= first; ++i) {
    std::vector<std::vector<double>> next(second + 1);
    for (size_t j = 0; j <= second; ++j) {
      std::vector<double>& chances = next[j];
      chances.assign(i * j + 1, 0.0);
      if (i == 0 || j == 0) {
        chances[0] = 1;
        continue;
      }
      const double all = static_cast<double>(i + j);
      for (size_t u = 0; u < row[j].size(); ++u)
        chances[u] += static_cast<double>(i) / all * row[j][u];
      for (size_t u = 0; u < next[j - 1].size(); ++u)
        chances[u + i] += static_cast<double>(j) / all * next[j - 1][u];
    }
    row = std::move(next);
  }
  return row[second];
}

}  // namespace

std::optional<size_t> MostWrongPairs(size_t first, size_t second, double false_alarms) {
  const std::vector<double> chances = ChancesOfPairs(first, second);
  double sum = 0;
  std::optional<size_t> most;
  for (size_t u = 0; u < chances.size(); ++u) {
    sum += chances[u];
    if (sum > false_alarms + kRoundingOfChances) break;
    most = u;
  }
  return most;
}

std::optional<Answer> DecideByRanks(std::span<const Sample> before, std::span<const Sample> after,
                                    const Question& question, ChangeKind kind,
                                    double false_alarms) {
  const std::optional<size_t> most = MostWrongPairs(before.size(), after.size(), false_alarms);
  if (!most) return std::nullopt;
  size_t pairs_for = 0, pairs_against = 0;
  std::vector<double> changes;
  for (const Sample& was : before) {
    for (const Sample& is : after) {
      const double border = question.factor * was.value + question.offset;
      const double beyond = question.above ? is.value - border : border - is.value;
      if (beyond > 0) ++pairs_for;
      if (beyond < 0) ++pairs_against;
      changes.push_back(kind == ChangeKind::kRelative ? RatioLessOne(was.value, is.value)
                                                      : is.value - was.value);
    }
  }
  // A tie speaks for neither.
  const size_t pairs = changes.size();
  std::sort(changes.begin(), changes.end());
  Answer answer;
  answer.method = Method::kRecordings;
  answer.outcome = pairs - pairs_for <= *most       ? Outcome::kHolds
                   : pairs - pairs_against <= *most ? Outcome::kHoldsNot
                                                    : Outcome::kUndecided;
  answer.before = MeanOfValues(before);
  answer.after = MeanOfValues(after);
  const double lower = changes[(pairs - 1) / 2], upper = changes[pairs / 2];
  answer.change = lower == upper ? lower : (lower + upper) / 2;  // both may be infinite
  answer.low = changes[*most];
  answer.high = changes[pairs - 1 - *most];
  return answer;
}

}  // namespace gordian
