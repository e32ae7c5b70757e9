// SPDX-License-Identifier: Apache-2.0
#include "traffic/common_clock.h"

#include <algorithm>

namespace gordian {
namespace {

bool WereMeasured(const std::vector<const pb::Session*>& nodes) {
  const std::string& reference = nodes.front()->node_clock().reference();
  return !reference.empty() && std::all_of(nodes.begin(), nodes.end(), [&](const auto* session) {
    const pb::NodeClock& clock = session->node_clock();
    return clock.reference() == reference &&
           (clock.node() == reference || clock.offsets_size() > 0);
  });
}

// Realtime less monotonic, as it was recorded.
ClockShift RealtimeShift(const pb::Session& session) {
  std::vector<std::pair<uint64_t, int64_t>> measured;
  for (const pb::ClockPair& pair : session.clocks()) {
    const auto shift = static_cast<__int128>(pair.realtime_ns()) - pair.monotonic_ns();
    if (shift > INT64_MIN && shift < INT64_MAX)
      measured.emplace_back(pair.monotonic_ns(), static_cast<int64_t>(shift));
  }
  return ClockShift(std::move(measured));
}

}  // namespace

ClockShift::ClockShift(std::vector<std::pair<uint64_t, int64_t>> measured)
    : measured_(std::move(measured)) {
  std::sort(measured_.begin(), measured_.end());
}

uint64_t ClockShift::Apply(uint64_t time_ns) const {
  if (measured_.empty()) return time_ns;
  const auto after = std::upper_bound(
      measured_.begin(), measured_.end(), time_ns,
      [](uint64_t time, const auto& measurement) { return time < measurement.first; });
  __int128 shift = after == measured_.end() ? measured_.back().second : after->second;
  if (after != measured_.end() && after != measured_.begin()) {
    const auto& [from_ns, from_shift] = *(after - 1);
    const double share =
        static_cast<double>(time_ns - from_ns) / static_cast<double>(after->first - from_ns);
    const double change = static_cast<double>(after->second) - static_cast<double>(from_shift);
    shift = static_cast<__int128>(from_shift) + static_cast<__int128>(change * share);
  }
  return static_cast<uint64_t>(std::clamp<__int128>(shift + time_ns, 0, UINT64_MAX));
}

CommonClock FindCommonClock(const std::vector<const pb::Session*>& nodes) {
  CommonClock clock;
  clock.shifts.resize(nodes.size());
  if (nodes.size() < 2) return clock;
  const bool measured = WereMeasured(nodes);
  clock.kind = measured ? TrafficClock::kMeasured : TrafficClock::kRealtime;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!measured) {
      if (nodes[i]->clocks().empty()) clock.kind = TrafficClock::kUnknown;
      clock.shifts[i] = RealtimeShift(*nodes[i]);
      continue;
    }
    std::vector<std::pair<uint64_t, int64_t>> offsets;
    for (const pb::ClockOffset& offset : nodes[i]->node_clock().offsets()) {
      offsets.emplace_back(offset.monotonic_ns(), offset.offset_ns());
      clock.bound_ns = std::max(clock.bound_ns, offset.bound_ns());
    }
    clock.shifts[i] = ClockShift(std::move(offsets));
  }
  return clock;
}

}  // namespace gordian
