// SPDX-License-Identifier: Apache-2.0
#include "gate/parts.h"

#include <algorithm>

#include "base/time_units.h"
#include "gate/thresholds.h"

namespace gordian {
namespace {

double CountIn(std::span<const uint64_t> times_ns, const TimeRange& range) {
  const auto from = std::lower_bound(times_ns.begin(), times_ns.end(), range.from_ns);
  const auto to = std::lower_bound(from, times_ns.end(), range.to_ns);
  return static_cast<double>(to - from);
}

}  // namespace

std::vector<TimeRange> GateParts(const TimeRange& recording) {
  const uint64_t all = kGateParts + 2 * kGateEndParts;
  std::vector<TimeRange> parts;
  if (recording.length_ns() < all) return parts;
  const auto border_ns = [&](uint64_t part) {
    const unsigned __int128 span_ns = recording.length_ns();
    return recording.from_ns + static_cast<uint64_t>(span_ns * part / all);
  };
  for (uint64_t i = kGateEndParts; i < all - kGateEndParts; ++i)
    parts.push_back({border_ns(i), border_ns(i + 1)});
  return parts;
}

Sample RateOf(std::span<const uint64_t> times_ns, const TimeRange& recording) {
  Sample sample;
  if (recording.length_ns() > 0)
    sample.value = static_cast<double>(times_ns.size()) / SecondsOf(recording.length_ns());
  for (const TimeRange& part : GateParts(recording))
    sample.parts.push_back(CountIn(times_ns, part) / SecondsOf(part.length_ns()));
  return sample;
}

Sample MeanDuration(std::span<const uint64_t> durations_ns) {
  Sample sample;
  const auto mean = [&](size_t from, size_t to) {
    double sum_ns = 0;
    for (size_t i = from; i < to; ++i) sum_ns += static_cast<double>(durations_ns[i]);
    return sum_ns / static_cast<double>(to - from) / static_cast<double>(kNsPerSecond);
  };
  const size_t count = durations_ns.size();
  if (count == 0) return sample;
  sample.value = mean(0, count);
  const size_t parts = std::min<size_t>(kGateParts, count);
  for (size_t i = 0; i < parts; ++i)
    sample.parts.push_back(mean(count * i / parts, count * (i + 1) / parts));
  return sample;
}

}  // namespace gordian
