// SPDX-License-Identifier: Apache-2.0
// One clock for the recordings of several nodes.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "schema/session.pb.h"
#include "traffic/traffic.h"

namespace gordian {

// The shift to add to one node's CLOCK_MONOTONIC: measured at some moments, in between a straight
// line, before and after them the nearest.
class ClockShift {
 public:
  ClockShift() = default;  // nothing is added
  // Moments and shifts, in any order.
  explicit ClockShift(std::vector<std::pair<uint64_t, int64_t>> measured);
  // Never overflows: ends at the ends of the range.
  uint64_t Apply(uint64_t time_ns) const;
  const std::vector<std::pair<uint64_t, int64_t>>& measured() const { return measured_; }

 private:
  std::vector<std::pair<uint64_t, int64_t>> measured_;  // by moment
};

struct CommonClock {
  TrafficClock kind = TrafficClock::kOne;
  uint64_t bound_ns = 0;
  std::vector<ClockShift> shifts;  // by node
};

CommonClock FindCommonClock(const std::vector<const pb::Session*>& nodes);

}  // namespace gordian
