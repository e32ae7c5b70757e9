// SPDX-License-Identifier: Apache-2.0
// Collects the measurements of one session's clock against its reference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "recorder/clocks/clock_exchange.h"
#include "schema/session.pb.h"

namespace gordian {

// How fast two disciplined clocks may run apart: quartz is off by some 50 ppm each, and NTP slews
// by some more. All bounds of the table rest on this, and session.pb tells it.
inline constexpr uint64_t kDriftPpb = 250'000;

class NodeClockTable {
 public:
  // Of a session of days at most this many are kept: of each two neighbours the tighter.
  static constexpr int kMaxOffsets = 1024;

  NodeClockTable(const std::string& node, const std::string& reference);

  void Add(const MeasuredClock& measured);
  void AddFailure() { clock_.set_failed_exchanges(clock_.failed_exchanges() + 1); }
  const pb::NodeClock& clock() const { return clock_; }

 private:
  void ThinOut();

  pb::NodeClock clock_;
};

// Of the measurements the one that bounds the offset best at `monotonic_ns`, now or later.
std::optional<pb::ClockOffset> BestOffset(const pb::NodeClock& clock, uint64_t monotonic_ns);

// How far the true offset may be from `measured` at `monotonic_ns`.
uint64_t BoundAt(const pb::ClockOffset& measured, uint64_t monotonic_ns);

}  // namespace gordian
