// SPDX-License-Identifier: Apache-2.0
#include "recorder/sources/meter.h"

#include <algorithm>

#include "base/time_units.h"

namespace gordian {
namespace {

// Ten terabytes per second: ten times the speed of today's fastest links and memory-backed disks.
constexpr double kLargestBytesPerSecond = 1e13;

}  // namespace

std::optional<MeterReading> RateMeter::Read(uint64_t now_ns, uint64_t count, uint64_t& missed) {
  const uint64_t interval_ns = now_ns - last_ns_;
  const uint64_t last_count = last_count_;
  const bool first = !started_;
  if (!first && now_ns <= last_ns_) {
    ++missed;
    return {};
  }
  started_ = true;
  last_ns_ = now_ns;
  last_count_ = count;
  if (first) return {};
  const double per_second =
      static_cast<double>(count - last_count) * kNsPerSecond / static_cast<double>(interval_ns);
  if (count < last_count || per_second > kLargestBytesPerSecond) {
    ++missed;
    return {};
  }
  return MeterReading{per_second, interval_ns};
}

std::optional<MeterReading> TimeShareMeter::Read(uint64_t now_ns, uint64_t total_ns,
                                                 uint64_t& missed) {
  const uint64_t interval_ns = now_ns - last_ns_;
  const bool first = !started_;
  if (!first && now_ns <= last_ns_) {
    ++missed;
    return {};
  }
  started_ = true;
  last_ns_ = now_ns;
  if (first) {
    told_ns_ = total_ns;
    return {};
  }
  const bool back = total_ns + step_ns_ < told_ns_;
  const bool leapt = total_ns > told_ns_ && total_ns - told_ns_ > interval_ns + 2 * step_ns_;
  if (back || leapt) {
    told_ns_ = total_ns;
    ++missed;
    return {};
  }
  const uint64_t grown_ns = total_ns > told_ns_ ? total_ns - told_ns_ : 0;
  const uint64_t now_told_ns = std::min(grown_ns, interval_ns);
  told_ns_ += now_told_ns;
  return MeterReading{static_cast<double>(now_told_ns) * kNsPerSecond / interval_ns, interval_ns};
}

}  // namespace gordian
