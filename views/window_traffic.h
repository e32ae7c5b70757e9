// SPDX-License-Identifier: Apache-2.0
// Packets of a recording by windows of time: what the trend and the frames of a recording add up
// from. One pass over the recording's files answers for all windows at once, so keep it.
//
//   const auto traffic = MeasureWindowTraffic(analysis.recording(), borders_ns);
//   for (const TrafficPair& pair : traffic->traffic.pairs)
//     AmountWithin(*traffic, pair, from_ns, to_ns).payload_bytes …
//
// The figures are those of `gordian traffic` (traffic/traffic.h): payload, each flow counted once.
// Windows that cover the whole recording add up to its totals exactly.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "analysis/recording.h"
#include "traffic/traffic.h"

namespace gordian {

struct WindowTraffic {
  // On the timeline's clock. Window i lasts from border i to border i + 1; at least two borders.
  std::vector<uint64_t> borders_ns;
  Traffic traffic;  // of processes; its spans are those windows, and maybe others
  // By span of `traffic`: its window; kNoWindow: before the first, behind the last, or untimed.
  std::vector<uint32_t> window_of_span;
  uint64_t untimed_bytes = 0;  // payload whose time was not kept: it is in no window
};
inline constexpr uint32_t kNoWindow = 0xffffffff;

// `borders_ns` ascend. InvalidArgument, with a line for the user, if they are too many.
absl::StatusOr<WindowTraffic> MeasureWindowTraffic(const LoadedRecording& recording,
                                                   std::vector<uint64_t> borders_ns,
                                                   int threads = 0);

// The windows between two borders, as [first, end); nothing if one of the times is no border.
struct WindowSpan {
  uint32_t first = 0;
  uint32_t end = 0;
};
std::optional<WindowSpan> WindowsBetween(const WindowTraffic& traffic, uint64_t from_ns,
                                         uint64_t to_ns);

// Of that pair, in those windows.
TrafficAmount AmountWithin(const WindowTraffic& traffic, const TrafficPair& pair,
                           const WindowSpan& windows);

}  // namespace gordian
