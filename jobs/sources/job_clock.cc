// SPDX-License-Identifier: Apache-2.0
#include "jobs/sources/job_clock.h"

#include <algorithm>
#include <limits>

namespace gordian {

// A damaged or made-up session may hold any numbers: pairs whose difference does not fit are left
// out.
JobClock::JobClock(const pb::Session& session, const ClockOfJob& to_job) {
  for (const pb::ClockPair& clock : session.clocks()) {
    int64_t offset_ns = 0;
    const uint64_t monotonic_ns = ToJob(to_job, clock.monotonic_ns());
    const bool fits = monotonic_ns <= std::numeric_limits<int64_t>::max() &&
                      clock.realtime_ns() >= 0 &&
                      !__builtin_sub_overflow(static_cast<int64_t>(monotonic_ns),
                                              clock.realtime_ns(), &offset_ns);
    if (fits) pairs_.push_back({clock.realtime_ns(), offset_ns});
  }
  std::stable_sort(pairs_.begin(), pairs_.end(),
                   [](const Pair& a, const Pair& b) { return a.realtime_ns < b.realtime_ns; });
}

std::optional<uint64_t> JobClock::FromWall(uint64_t realtime_ns) const {
  if (pairs_.empty()) return realtime_ns;
  if (realtime_ns > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return {};
  const auto time_ns = static_cast<int64_t>(realtime_ns);
  const auto next =
      std::upper_bound(pairs_.begin(), pairs_.end(), time_ns,
                       [](int64_t time, const Pair& pair) { return time < pair.realtime_ns; });
  double offset_ns = 0;  // relative to the pair before: small, so that a double holds it
  const Pair& before = next == pairs_.begin() ? *next : *(next - 1);
  if (next != pairs_.begin() && next != pairs_.end()) {
    const double share = static_cast<double>(time_ns - before.realtime_ns) /
                         static_cast<double>(next->realtime_ns - before.realtime_ns);
    offset_ns =
        share * (static_cast<double>(next->offset_ns) - static_cast<double>(before.offset_ns));
  }
  int64_t result_ns = 0;
  if (__builtin_add_overflow(time_ns, before.offset_ns, &result_ns)) return {};
  if (std::abs(offset_ns) > 1e18) return {};
  if (__builtin_add_overflow(result_ns, static_cast<int64_t>(offset_ns), &result_ns)) return {};
  if (result_ns < 0) return {};
  return static_cast<uint64_t>(result_ns);
}

}  // namespace gordian
