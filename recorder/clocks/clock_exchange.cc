// SPDX-License-Identifier: Apache-2.0
#include "recorder/clocks/clock_exchange.h"

#include <utility>

namespace gordian {

absl::StatusOr<MeasuredClock> MeasureClock(const std::function<absl::StatusOr<RemoteClock>()>& ask,
                                           int exchanges, const std::function<uint64_t()>& now_ns) {
  MeasuredClock best;
  for (int i = 0; i < exchanges; ++i) {
    const uint64_t before_ns = now_ns();
    absl::StatusOr<RemoteClock> remote = ask();
    const uint64_t after_ns = now_ns();
    if (!remote.ok()) return remote.status();
    // A reboot between two exchanges: the measurements before are of another clock.
    const bool same_boot = i > 0 && remote->boot_id == best.boot_id;
    const uint64_t bound_ns = (after_ns - before_ns + 1) / 2;
    if (same_boot && bound_ns >= best.offset.bound_ns()) continue;
    const uint64_t middle_ns = before_ns + (after_ns - before_ns) / 2;
    best.offset.set_monotonic_ns(middle_ns);
    best.offset.set_offset_ns(static_cast<int64_t>(remote->monotonic_ns - middle_ns));
    best.offset.set_bound_ns(bound_ns);
    best.boot_id = std::move(remote->boot_id);
  }
  return best;
}

}  // namespace gordian
