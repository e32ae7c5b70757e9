// SPDX-License-Identifier: Apache-2.0
#include "recorder/sources/clock.h"

#include <ctime>

namespace gordian {
namespace {

int64_t NowNs(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);  // cannot fail for these clocks
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

uint64_t MonotonicNowNs() { return NowNs(CLOCK_MONOTONIC); }

uint64_t SleptSinceBootNs() {
  constexpr int kTries = 4;
  constexpr int64_t kTightNs = 100'000;
  int64_t slept_ns = 0;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const int64_t before_ns = NowNs(CLOCK_MONOTONIC);
    slept_ns = NowNs(CLOCK_BOOTTIME) - before_ns;
    if (NowNs(CLOCK_MONOTONIC) - before_ns < kTightNs) break;
  }
  return static_cast<uint64_t>(slept_ns);
}

pb::ClockPair ReadClockPair() {
  constexpr int kTries = 16;
  pb::ClockPair best;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const int64_t before_ns = NowNs(CLOCK_MONOTONIC);
    const int64_t realtime_ns = NowNs(CLOCK_REALTIME);
    const int64_t after_ns = NowNs(CLOCK_MONOTONIC);
    const uint64_t error_ns = (after_ns - before_ns + 1) / 2;
    if (attempt > 0 && error_ns >= best.error_ns()) continue;
    best.set_monotonic_ns(before_ns + (after_ns - before_ns) / 2);
    best.set_realtime_ns(realtime_ns);
    best.set_error_ns(error_ns);
  }
  return best;
}

}  // namespace gordian
