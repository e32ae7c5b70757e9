// SPDX-License-Identifier: Apache-2.0
// Means of parts that depend on each other, for Decide.
#pragma once

#include <optional>
#include <span>

#include "gate/samples.h"

namespace gordian {

struct PartMean {
  double mean = 0;
  double variance = 0;  // of the mean
  double freedom = 1;   // degrees of freedom
};

// Of one recording's parts, at least two.
PartMean MeanOfParts(std::span<const double> parts);

// Nothing if a recording has too few parts.
std::optional<Answer> DecideByParts(std::span<const Sample> before, std::span<const Sample> after,
                                    const Question& question, ChangeKind kind, double false_alarms);
// The same by the recordings' values alone, for the question whether a level is passed.
Answer DecideByValues(std::span<const Sample> after, const Question& question, double false_alarms);

// How many standard deviations a mean may be off with that chance.
double StudentBound(double freedom, double chance);

}  // namespace gordian
