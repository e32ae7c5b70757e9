// SPDX-License-Identifier: Apache-2.0
#include "gate/limit_change.h"

#include <algorithm>
#include <map>
#include <vector>

#include "gate/thresholds.h"

namespace gordian {
namespace {

// In that much more of the parts there than elsewhere it comes first.
constexpr double kMoreParts = 0.5;

bool ComesFirst(const LimitsFound& limits, const FindingKey& key) {
  return !limits.keys.empty() && IsSameLimit(limits.keys.front(), key);
}

template <typename Condition>
size_t CountWith(std::span<const MeasuredRecording> side, Condition condition) {
  return static_cast<size_t>(std::count_if(side.begin(), side.end(), condition));
}

// In the parts of each recording: 1 where the condition holds.
template <typename Condition>
std::vector<Sample> PartsWith(std::span<const MeasuredRecording> side, Condition condition) {
  std::vector<Sample> samples;
  for (const MeasuredRecording& recording : side) {
    Sample& sample = samples.emplace_back();
    for (const LimitsFound& part : recording.limits_of_parts)
      sample.parts.push_back(condition(part) ? 1 : 0);
  }
  return samples;
}

// The recording whose first limit most others share.
const MeasuredRecording* Typical(std::span<const MeasuredRecording> side) {
  const MeasuredRecording* typical = nullptr;
  size_t most = 0;
  for (const MeasuredRecording& one : side) {
    if (one.limits.keys.empty()) continue;
    const size_t alike = CountWith(side, [&](const MeasuredRecording& other) {
      return ComesFirst(other.limits, one.limits.keys.front());
    });
    if (alike > most) typical = &one;
    most = std::max(most, alike);
  }
  return typical;
}

}  // namespace

LimitAnswer LimitOnlyThere(std::span<const MeasuredRecording> elsewhere,
                           std::span<const MeasuredRecording> there, double false_alarms) {
  LimitAnswer answer;
  const MeasuredRecording* const typical = Typical(there);
  if (typical == nullptr) {
    answer.outcome = Outcome::kHoldsNot;
    return answer;
  }
  const FindingKey& key = typical->limits.keys.front();
  answer.title = typical->limits.first_title;
  answer.there =
      CountWith(there, [&](const MeasuredRecording& one) { return ComesFirst(one.limits, key); });
  answer.elsewhere =
      CountWith(elsewhere, [&](const MeasuredRecording& one) { return Holds(one.limits, key); });
  answer.method = Method::kRecordings;
  if (2 * answer.there < there.size() || 2 * answer.elsewhere >= elsewhere.size()) {
    answer.outcome = Outcome::kHoldsNot;
    return answer;
  }
  const bool enough = RanksCanDecide(elsewhere.size(), there.size(), false_alarms);
  if (enough) {
    const double chance =
        ChanceOfSplit(answer.elsewhere, elsewhere.size(), answer.there, there.size());
    if (chance <= false_alarms + kRoundingOfChances) answer.outcome = Outcome::kHolds;
  } else {
    const auto before =
        PartsWith(elsewhere, [&](const LimitsFound& part) { return Holds(part, key); });
    const auto after =
        PartsWith(there, [&](const LimitsFound& part) { return ComesFirst(part, key); });
    const Answer parts = Decide(before, after, {.factor = 1, .offset = kMoreParts, .above = true},
                                ChangeKind::kDifference, false_alarms);
    answer.method = parts.method;
    // That it is the same limit in most of the recordings was excluded above.
    if (parts.outcome == Outcome::kHolds) answer.outcome = Outcome::kHolds;
  }
  const uint32_t fewest = FewestRecordings(false_alarms);
  if (answer.outcome == Outcome::kUndecided)
    answer.recordings_needed =
        enough ? static_cast<uint32_t>(
                     std::min(2 * std::max(there.size(), elsewhere.size()), kMostRecordings))
               : fewest;
  return answer;
}

}  // namespace gordian
