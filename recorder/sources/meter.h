// SPDX-License-Identifier: Apache-2.0
// Turns a counter that is read now and then into a mean per second.
#pragma once

#include <cstdint>
#include <optional>

namespace gordian {

struct MeterReading {
  double per_second = 0;
  uint64_t interval_ns = 0;  // since the reading before
};

// A count of bytes. A step back (a device that was replaced, a driver that was reset) or a leap no
// device makes gives nothing, and the next reading counts from there.
class RateMeter {
 public:
  // Nothing for the first reading and for a step that cannot be true; `missed` is raised by the
  // latter.
  std::optional<MeterReading> Read(uint64_t now_ns, uint64_t count, uint64_t& missed);

 private:
  uint64_t last_ns_ = 0;
  uint64_t last_count_ = 0;
  bool started_ = false;
};

// A count of nanoseconds that grows at most as fast as the clock, but is shown in coarse steps: one
// interval may seem to hold more of it than fits. The rest belongs to the next interval and is kept
// for it. Cutting it off instead would make an idle CPU look busy, since time rounded away is never
// rounded up again.
class TimeShareMeter {
 public:
  // `step_ns`: the counter may be behind the truth by this much.
  explicit TimeShareMeter(uint64_t step_ns) : step_ns_(step_ns) {}
  // per_second is between 0 and 1e9. Nothing and `missed` as in RateMeter; a step back of at most
  // step_ns is rounding.
  std::optional<MeterReading> Read(uint64_t now_ns, uint64_t total_ns, uint64_t& missed);

 private:
  uint64_t step_ns_;
  uint64_t last_ns_ = 0;
  uint64_t told_ns_ = 0;  // of total_ns, in readings so far
  bool started_ = false;
};

}  // namespace gordian
