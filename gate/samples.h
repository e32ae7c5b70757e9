// SPDX-License-Identifier: Apache-2.0
// Is one side of measurements greater than the other, beyond chance? Two tests (docs/gate.md says
// which holds when, and how often each is wrong):
//
//   recordings  several on each side: an exact rank test (Mann-Whitney). It asks how often chance
//               alone would put all, or nearly all, of one side above the other.
//   parts       one or two recordings on a side: each is cut into equal parts, and their means are
//               compared (Welch's t). Parts that follow each other are alike, so the spread of a
//               mean is widened by their correlation. How much one run differs from the next it
//               cannot know, and assumes (gate/thresholds.h).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gordian {

// A recording's measurement.
struct Sample {
  double value = 0;
  std::vector<double> parts;  // of it, in order of time; empty: it cannot be cut
};

// Whether "after > factor * before + offset" holds (or <).
struct Question {
  double factor = 1;
  double offset = 0;
  bool above = true;
};

enum class Outcome : uint8_t { kHolds, kHoldsNot, kUndecided };

enum class Method : uint8_t { kNone, kRecordings, kParts };

// The change that is looked at: after / before - 1, after - before, or after itself.
enum class ChangeKind : uint8_t { kRelative, kDifference, kLevel };

struct Answer {
  Outcome outcome = Outcome::kUndecided;
  Method method = Method::kNone;
  double before = 0;  // means, as far as the test looked at them
  double after = 0;
  // The change and its bounds: each of them is passed by chance as rarely as was asked for. Not
  // finite where nothing is known.
  double change = 0;
  double low = 0;
  double high = 0;
  // If undecided: recordings on each side that would most likely decide, or 0: more than
  // kMostRecordings.
  uint32_t recordings_needed = 0;
};

inline constexpr size_t kMostRecordings = 50;  // on a side
inline constexpr double kRoundingOfChances = 1e-12;

// Fewest on each side of a rank test with that chance of a false alarm: 3 at 5 %.
uint32_t FewestRecordings(double false_alarms);

// Fewest that tell whether a level is passed.
size_t FewestForLevels();

// Whether so many recordings on each side can decide by themselves.
bool RanksCanDecide(size_t before, size_t after, double false_alarms);

// The smallest chance with which so many recordings on each side can ever decide.
double LeastChance(size_t before, size_t after);

// Neither side may be empty, nor have more than kMostRecordings. False alarms: at most that share
// of the answers hold, or hold not, wrongly.
Answer Decide(std::span<const Sample> before, std::span<const Sample> after,
              const Question& question, ChangeKind kind, double false_alarms);

// How likely chance alone puts at least so many of the marked ones into the second group: Fisher's
// exact test, one-sided.
double ChanceOfSplit(size_t marked_before, size_t before, size_t marked_after, size_t after);

}  // namespace gordian
