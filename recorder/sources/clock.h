// SPDX-License-Identifier: Apache-2.0
// Reads two clocks at the same instant.
#pragma once

#include <cstdint>

#include "schema/session.pb.h"

namespace gordian {

uint64_t MonotonicNowNs();

// How long this machine has been suspended since it booted: CLOCK_BOOTTIME less CLOCK_MONOTONIC,
// off by less than a millisecond, unless no CPU is free for several tries in a row.
uint64_t SleptSinceBootNs();

// CLOCK_REALTIME between two readings of CLOCK_MONOTONIC, the tightest of several tries: it is off
// by at most error_ns, half the bracket. A try that was interrupted has a wide bracket and loses.
pb::ClockPair ReadClockPair();

}  // namespace gordian
