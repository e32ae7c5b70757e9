// SPDX-License-Identifier: Apache-2.0
// Notices that the machine slept (suspend to memory or disk) while it was recorded.
//
// All times of a recording are of CLOCK_MONOTONIC, which stands still in a sleep. CLOCK_BOOTTIME
// goes on: their difference grows by the time slept, and by nothing else. So no wait contains the
// sleep, and --duration means time awake. But threads seem to wait while the kernel freezes them
// before, and thaws them after.
#pragma once

#include <cstdint>

#include "schema/session.pb.h"

namespace gordian {

class SuspendWatch {
 public:
  // Later sleeps are added to the last one. A laptop that sleeps every hour fills it in six weeks.
  static constexpr int kMostSuspends = 1000;

  // `slept_ns`: SleptSinceBootNs() now.
  explicit SuspendWatch(uint64_t slept_ns) : slept_ns_(slept_ns) {}

  // To be called often. Adds a sleep since the last call to `session`, and counts it; false if
  // there was none.
  bool Look(uint64_t now_ns, uint64_t slept_ns, pb::Session& session);

 private:
  uint64_t slept_ns_;
};

}  // namespace gordian
