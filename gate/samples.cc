// SPDX-License-Identifier: Apache-2.0
#include "gate/samples.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gate/part_means.h"
#include "gate/rank_test.h"
#include "gate/thresholds.h"

namespace gordian {
namespace {

constexpr size_t kFewestForLevel = 3;  // recordings: the spread of two is a guess

double MeanValue(std::span<const Sample> side) {
  double sum = 0;
  for (const Sample& sample : side) sum += sample.value;
  return sum / static_cast<double>(side.size());
}

// Of one recording's value around the mean of its side.
double SpreadOfValues(std::span<const Sample> side) {
  double squares = 0;
  for (const Sample& sample : side)
    squares += (sample.value - MeanValue(side)) * (sample.value - MeanValue(side));
  return squares / static_cast<double>(side.size() - 1);
}

// Which number of recordings a side would show a difference as large as the one that is seen, by
// the normal distribution, four times of five. With one or two a side their spread is that of
// their parts.
uint32_t RecordingsNeeded(std::span<const Sample> before, std::span<const Sample> after,
                          const Question& question, const Answer& answer, double false_alarms) {
  const double beyond = std::abs(answer.after - question.factor * answer.before - question.offset);
  double variance = 0;
  const auto add = [&](std::span<const Sample> side, double factor) {
    if (side.size() > 2) {
      variance += factor * factor * SpreadOfValues(side);
    } else if (!side.empty() && side.front().parts.size() > 1) {
      variance += factor * factor * MeanOfParts(side.front().parts).variance;
    }
  };
  if (question.factor != 0) add(before, question.factor);
  add(after, 1);
  const uint32_t fewest = FewestRecordings(false_alarms);
  if (beyond <= 0) return 0;
  const double bound = StudentBound(1000, false_alarms) + kFoundMostly;
  const double needed = std::ceil(bound * bound * variance / (beyond * beyond));
  if (!(needed <= static_cast<double>(kMostRecordings))) return 0;
  const uint32_t more_than_now =
      std::min(before.size(), after.size()) >= fewest
          ? static_cast<uint32_t>(std::min(before.size(), after.size())) + 1
          : fewest;
  return std::max(more_than_now, static_cast<uint32_t>(needed));
}

Answer Unmeasured(std::span<const Sample> before, std::span<const Sample> after, ChangeKind kind) {
  Answer answer;
  answer.before = MeanValue(before);
  answer.after = MeanValue(after);
  answer.change = kind == ChangeKind::kLevel        ? answer.after
                  : kind == ChangeKind::kDifference ? answer.after - answer.before
                  : answer.before != 0              ? answer.after / answer.before - 1
                                                    : std::numeric_limits<double>::quiet_NaN();
  answer.low = -std::numeric_limits<double>::infinity();
  answer.high = std::numeric_limits<double>::infinity();
  return answer;
}

}  // namespace

size_t FewestForLevels() { return kFewestForLevel; }

double LeastChance(size_t before, size_t after) {
  // One of all the ways to choose which of them come last.
  double chance = 1;
  for (size_t i = 1; i <= after; ++i)
    chance *= static_cast<double>(i) / static_cast<double>(before + i);
  return chance;
}

bool RanksCanDecide(size_t before, size_t after, double false_alarms) {
  return LeastChance(before, after) <= false_alarms + kRoundingOfChances;
}

uint32_t FewestRecordings(double false_alarms) {
  uint32_t fewest = 1;
  while (fewest < kMostRecordings && !RanksCanDecide(fewest, fewest, false_alarms)) ++fewest;
  return fewest;
}

Answer Decide(std::span<const Sample> before, std::span<const Sample> after,
              const Question& question, ChangeKind kind, double false_alarms) {
  std::optional<Answer> answer;
  if (kind == ChangeKind::kLevel) {
    if (after.size() >= kFewestForLevel) answer = DecideByValues(after, question, false_alarms);
  } else {
    answer = DecideByRanks(before, after, question, kind, false_alarms);
  }
  if (!answer) answer = DecideByParts(before, after, question, kind, false_alarms);
  if (!answer) {
    Answer none = Unmeasured(before, after, kind);
    none.recordings_needed = FewestRecordings(false_alarms);
    return none;
  }
  if (answer->outcome == Outcome::kUndecided)
    answer->recordings_needed = RecordingsNeeded(before, after, question, *answer, false_alarms);
  return *answer;
}

double ChanceOfSplit(size_t marked_before, size_t before, size_t marked_after, size_t after) {
  const auto ways = [](size_t of, size_t chosen) {  // their logarithm
    return std::lgamma(static_cast<double>(of) + 1) - std::lgamma(static_cast<double>(chosen) + 1) -
           std::lgamma(static_cast<double>(of - chosen) + 1);
  };
  const size_t marked = marked_before + marked_after;
  double chance = 0;
  for (size_t in_after = marked_after; in_after <= std::min(after, marked); ++in_after) {
    if (marked - in_after > before) continue;
    chance += std::exp(ways(after, in_after) + ways(before, marked - in_after) -
                       ways(before + after, marked));
  }
  return std::min(1.0, chance);
}

}  // namespace gordian
