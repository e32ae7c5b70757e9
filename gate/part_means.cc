// SPDX-License-Identifier: Apache-2.0
#include "gate/part_means.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "gate/thresholds.h"

namespace gordian {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMostCorrelation = 0.9;

double MeanOf(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

// Of two means' sum (Welch and Satterthwaite).
double JointFreedom(double a_variance, double a_freedom, double b_variance, double b_freedom) {
  const double below = a_variance * a_variance / a_freedom + b_variance * b_variance / b_freedom;
  if (below <= 0) return a_freedom + b_freedom;
  return (a_variance + b_variance) * (a_variance + b_variance) / below;
}

// Of the recordings of a side: the mean of their means. Recordings of one side that differ more
// than their parts tell have the last word.
PartMean MeanOfSide(std::span<const Sample> side) {
  const double count = static_cast<double>(side.size());
  PartMean all{.mean = 0, .variance = 0, .freedom = 0};
  double below = 0;
  std::vector<double> means;
  for (const Sample& sample : side) {
    const PartMean one = MeanOfParts(sample.parts);
    means.push_back(one.mean);
    const double variance = one.variance / (count * count);
    all.variance += variance;
    below += variance * variance / one.freedom;
    all.freedom += one.freedom;
  }
  all.mean = MeanOf(means);
  if (below > 0) all.freedom = all.variance * all.variance / below;
  const double run_to_run = kRunToRun * all.mean;
  all.variance += run_to_run * run_to_run / count;
  if (side.size() < 2) return all;
  double squares = 0;
  for (const double mean : means) squares += (mean - all.mean) * (mean - all.mean);
  const double between = squares / (count - 1) / count;
  if (between > all.variance) {
    all.variance = between;
    all.freedom = count - 1;
  }
  return all;
}

// Fieller's bounds of a ratio: all that the data do not refute. Unbounded if `before` may be 0.
void SetRatioBounds(const PartMean& before, const PartMean& after, double bound, Answer& answer) {
  answer.change =
      before.mean == 0 ? (after.mean == 0 ? 0 : kInfinity) : after.mean / before.mean - 1;
  if (before.mean == 0 && after.mean == 0 && before.variance + after.variance == 0) return;
  const double squared = bound * bound;
  const double a = before.mean * before.mean - squared * before.variance;
  const double b = before.mean * after.mean;
  const double c = after.mean * after.mean - squared * after.variance;
  answer.low = -1;
  answer.high = kInfinity;
  if (a <= 0) return;
  const double root = std::sqrt(std::max(0.0, b * b - a * c));
  answer.low = std::max(-1.0, (b - root) / a - 1);
  answer.high = (b + root) / a - 1;
}

Answer AnswerOfMeans(const PartMean& before, const PartMean& after, const Question& question,
                     ChangeKind kind, double false_alarms) {
  const double sign = question.above ? 1 : -1;
  const double beyond = sign * (after.mean - question.factor * before.mean - question.offset);
  const double before_variance = question.factor * question.factor * before.variance;
  const double deviation = std::sqrt(after.variance + before_variance);
  const double bound = StudentBound(
      JointFreedom(after.variance, after.freedom, before_variance, before.freedom), false_alarms);
  Answer answer;
  answer.method = Method::kParts;
  answer.before = before.mean;
  answer.after = after.mean;
  if (deviation == 0) {
    answer.outcome = beyond > 0 ? Outcome::kHolds : Outcome::kHoldsNot;
  } else {
    answer.outcome = beyond > bound * deviation    ? Outcome::kHolds
                     : beyond < -bound * deviation ? Outcome::kHoldsNot
                                                   : Outcome::kUndecided;
  }
  if (kind == ChangeKind::kRelative) {
    SetRatioBounds(before, after, bound, answer);
    return answer;
  }
  const bool level = kind == ChangeKind::kLevel;
  const double off = bound * std::sqrt(after.variance + (level ? 0 : before.variance));
  answer.change = after.mean - (level ? 0 : before.mean);
  answer.low = answer.change - off;
  answer.high = answer.change + off;
  return answer;
}

bool HaveParts(std::span<const Sample> side) {
  return std::all_of(side.begin(), side.end(),
                     [](const Sample& sample) { return sample.parts.size() >= kFewestGateParts; });
}

}  // namespace

// One part takes after the one before it. With a correlation r of neighbours, the mean of n parts
// varies as that of n (1 - r) / (1 + r) independent ones. An r that is estimated of n parts is too
// small by about 1/n; a negative one is taken for none.
PartMean MeanOfParts(std::span<const double> parts) {
  const double count = static_cast<double>(parts.size());
  const double mean = MeanOf(parts);
  double squares = 0, products = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    squares += (parts[i] - mean) * (parts[i] - mean);
    if (i > 0) products += (parts[i] - mean) * (parts[i - 1] - mean);
  }
  if (squares == 0) return {.mean = mean, .variance = 0, .freedom = count - 1};
  const double correlation = std::clamp(products / squares + 1 / count, 0.0, kMostCorrelation);
  const double widening = (1 + correlation) / (1 - correlation);
  return {.mean = mean,
          .variance = squares / (count - 1) / count * widening,
          .freedom = std::max(1.0, (count - 1) / widening)};
}

double StudentBound(double freedom, double chance) {
  return boost::math::quantile(
      boost::math::complement(boost::math::students_t(std::max(1.0, freedom)), chance));
}

std::optional<Answer> DecideByParts(std::span<const Sample> before, std::span<const Sample> after,
                                    const Question& question, ChangeKind kind,
                                    double false_alarms) {
  const bool level = kind == ChangeKind::kLevel;
  if (!HaveParts(after) || (!level && !HaveParts(before))) return std::nullopt;
  const PartMean none{.mean = 0, .variance = 0, .freedom = 1};
  return AnswerOfMeans(level ? none : MeanOfSide(before), MeanOfSide(after), question, kind,
                       false_alarms);
}

Answer DecideByValues(std::span<const Sample> after, const Question& question,
                      double false_alarms) {
  std::vector<double> values;
  for (const Sample& sample : after) values.push_back(sample.value);
  const double count = static_cast<double>(values.size());
  PartMean mean{.mean = MeanOf(values), .variance = 0, .freedom = count - 1};
  for (const double value : values)
    mean.variance += (value - mean.mean) * (value - mean.mean) / (count - 1) / count;
  Answer answer = AnswerOfMeans({}, mean, question, ChangeKind::kLevel, false_alarms);
  answer.method = Method::kRecordings;
  return answer;
}

}  // namespace gordian
