// SPDX-License-Identifier: Apache-2.0
// What each unit did, window by window: the small multiples of the trend view.
//
//   const auto windows = TrendWindowsOf(range, 0);
//   const Trend trend = TrendOf(analysis, units, {.windows = *windows, .level = …});
//
// The windows of a unit add up to its amounts over them (amounts.h). The units that are told, and
// the others together, add up to all units.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analysis/analysis.h"
#include "analysis/recorded_phases.h"
#include "views/amounts.h"
#include "views/outliers.h"
#include "views/unit_numbers.h"
#include "views/window_traffic.h"

namespace gordian {

// As many as a page of 50 can be leafed through; the answer stays below some megabytes.
inline constexpr size_t kMostTrendWindows = 2000;
inline constexpr size_t kMostTrendUnits = 100;

struct TrendWindow {
  uint64_t from_ns = 0;  // on the timeline's clock; ascending, without overlaps
  uint64_t to_ns = 0;
  std::string label;  // of a phase; empty: a stretch of time
  bool operator==(const TrendWindow&) const = default;
};

// Windows of that length; 0: of a round one (1, 2 or 5 of a unit), so that there are at most 200.
// InvalidArgument if there would be more than kMostTrendWindows.
absl::StatusOr<std::vector<TrendWindow>> TrendWindowsOf(const TimeRange& range, uint64_t window_ns);

// A window for each phase of that name, "superstep", or of that name and a number,
// "superstep 12": from its first beginning on any thread to its last end, or until the next window
// begins. Of phases without a number the first of each thread are one window, then the second, …
// Clipped to the range. NotFound, with a line for the user, if programs told of no such phase.
absl::StatusOr<std::vector<TrendWindow>> TrendWindowsOfPhase(const RecordedPhases& phases,
                                                             const std::string& name,
                                                             const TimeRange& range);
// The names that can be asked for, without numbers; those with most phases first, at most 20.
std::vector<std::string> TrendPhaseNames(const RecordedPhases& phases);

enum class TrendMeasure : uint8_t {
  kCpuNs,  // run and spin
  kReadyNs,
  kWaitNs,
  kSentBytes,
  kReceivedBytes,
  kSentMessages,
  kReceivedMessages,
};
inline constexpr size_t kTrendMeasures = 7;

struct TrendRequest {
  std::span<const TrendWindow> windows;
  UnitLevel level = UnitLevel::kProcess;
  std::vector<uint32_t> only;           // these units alone; empty: all
  size_t most_units = kMostTrendUnits;  // by CPU time, then waits; the rest are added up
  // Measured over windows that begin and end where these do; null: without packets.
  const WindowTraffic* traffic = nullptr;
  int threads = 0;
};

struct TrendRow {
  uint32_t unit = kNoUnit;                       // kNoUnit: all the others together
  std::vector<uint64_t> values[kTrendMeasures];  // by measure, then by window
  Outliers outliers[kTrendMeasures];             // windows out of line with the unit's others
};

struct Trend {
  std::vector<TrendRow> rows;  // the busiest first; the others last, if there are any
  uint64_t others = 0;         // how many units that row is
  // By measure: units (rows) whose sum is out of line with the other rows'. At least five rows.
  std::vector<uint32_t> odd_rows[kTrendMeasures];
};

Trend TrendOf(const Analysis& analysis, const Units& units, const TrendRequest& request);

}  // namespace gordian
