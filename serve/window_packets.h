// SPDX-License-Identifier: Apache-2.0
// The range, the windows of time and the packets that the cluster, trend and frame views ask for.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "report/time_range.h"
#include "serve/endpoints.h"
#include "views/trend.h"
#include "views/window_traffic.h"

namespace gordian {

// `from` and `to`, on the timeline's clock, within what was analyzed.
absl::StatusOr<TimeRange> AskedTimeOf(const ViewRequest& request);

// `window` or `phase`, or windows as fit.
struct AskedWindows {
  std::vector<TrendWindow> windows;
  std::vector<std::string> phase_names;  // that could be asked for
  std::string key;                       // tells them from others
};
absl::StatusOr<AskedWindows> WindowsFor(const ViewRequest& request, const TimeRange& range);

// What packets tell, or why they tell nothing.
struct WindowPackets {
  std::shared_ptr<const WindowTraffic> traffic;  // null: see `why`
  std::string why;
};
// Of these windows, measured once.
absl::StatusOr<WindowPackets> PacketsFor(const ViewRequest& request, const AskedWindows& asked);
// Of a range: `windows` are those of the traffic that it is. Of windows that are measured already,
// if it is made of such, as the frames of a trend are.
absl::StatusOr<WindowPackets> PacketsOfRange(const ViewRequest& request, const TimeRange& range,
                                             std::optional<WindowSpan>& windows);

}  // namespace gordian
