// SPDX-License-Identifier: Apache-2.0
// Measures another node's CLOCK_MONOTONIC against this one's.
//
// One exchange: note our clock, ask the other for its own, note ours again. The other read its
// clock somewhere between, so its offset is known to half the round trip, for any times of the way
// there and the way back. Of several exchanges the shortest round trip bounds best; the others only
// met a queue.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "schema/session.pb.h"

namespace gordian {

struct RemoteClock {
  uint64_t monotonic_ns = 0;
  std::string boot_id;
};

struct MeasuredClock {
  pb::ClockOffset offset;
  std::string boot_id;  // of the other
};

// Does `exchanges` of them (at least one). Fails with the first that fails. `now_ns` is our clock.
absl::StatusOr<MeasuredClock> MeasureClock(const std::function<absl::StatusOr<RemoteClock>()>& ask,
                                           int exchanges, const std::function<uint64_t()>& now_ns);

}  // namespace gordian
