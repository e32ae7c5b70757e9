// SPDX-License-Identifier: Apache-2.0
// How much each unit of the cluster did within a range: the areas and colours of the cluster view.
//
//   const Amounts amounts = AmountsWithin(analysis, units, {.range = range, .level = …});
//
// Times are those of the report: a unit's are the sums over its threads. What packets tell is
// added by AddTraffic, as that takes a pass over the files (window_traffic.h). All units together
// are the whole: their times those of all threads, their shares of the critical paths 1, their
// bytes those that recorded processes sent.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/analysis.h"
#include "views/unit_numbers.h"
#include "views/window_traffic.h"

namespace gordian {

struct UnitTimes {
  uint64_t run_ns = 0;
  uint64_t runnable_ns = 0;
  uint64_t wait_ns = 0;
  uint64_t spin_ns = 0;
  uint64_t unknown_ns = 0;
  uint64_t cpu_ns() const { return run_ns + spin_ns; }
  UnitTimes& operator+=(const UnitTimes& other);
  bool operator==(const UnitTimes&) const = default;
};

// Payload bytes and messages, as in traffic/traffic.h.
struct UnitTraffic {
  uint64_t sent_bytes = 0;
  uint64_t received_bytes = 0;
  uint64_t sent_messages = 0;
  uint64_t received_messages = 0;
  UnitTraffic& operator+=(const UnitTraffic& other);
  bool operator==(const UnitTraffic&) const = default;
};

struct UnitAmounts {
  UnitTimes times;
  uint64_t threads = 0;      // that lived within the range
  double participation = 0;  // share of the critical paths (participation/), if it was asked for
  UnitTraffic traffic;       // with AddTraffic
};

struct AmountsRequest {
  TimeRange range;  // on the timeline's clock, within the range that was analyzed
  UnitLevel level = UnitLevel::kProcess;
  bool with_participation = false;  // takes a walk over the range's events
};

struct Amounts {
  UnitLevel level = UnitLevel::kProcess;
  std::vector<UnitAmounts> units;  // by number (unit_numbers.h)
  uint64_t critical_paths = 0;     // 0: participation has nothing to tell
  // Packets that belong to no unit: of processes that are not known, or on hosts outside.
  UnitTraffic elsewhere;
};

Amounts AmountsWithin(const Analysis& analysis, const Units& units, const AmountsRequest& request);

// Adds the packets of those windows. Not at the level of threads: packets belong to processes.
void AddTraffic(const WindowTraffic& traffic, const WindowSpan& windows, const Units& units,
                Amounts& amounts);

// By number of a recorded party: the unit that it is, or kNoUnit.
std::vector<uint32_t> UnitsOfParties(const Traffic& traffic, const Units& units, UnitLevel level);

// By thread of the timeline: its times within the range.
std::vector<UnitTimes> TimesOfThreads(const Analysis& analysis, const TimeRange& range);

// Who waits for whom within the range; of all of it without any work.
WaitForGraph GraphWithin(const Analysis& analysis, const TimeRange& range);

}  // namespace gordian
