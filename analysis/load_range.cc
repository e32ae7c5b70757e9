// SPDX-License-Identifier: Apache-2.0
#include "analysis/load_range.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/time_units.h"
#include "requests/load.h"
#include "whatif/requests/thresholds.h"

namespace gordian {
namespace {

// Share of the time. Self-checks of simulated requests bear a miss of a tenth (kSureTokenMiss), and
// that much is missed if a rate is of more time than the load.
constexpr double kLoadIsAllOfTheTime = 0.9;
// Requests open at a time, on average. A server under load has hardly ever none. One that somebody
// looks at now and then (its health, its metrics) does its work without them.
constexpr double kFewestOpen = 0.5;

// So few tell no rate, and whoever asked them may have wanted but to see whether the server is up.
bool AreALoad(std::span<const Request* const> requests, const LoadTime& load) {
  double open_ns = 0;
  for (const Request* request : requests) open_ns += static_cast<double>(request->latency_ns());
  return requests.size() >= kFewestTokenRequests &&
         open_ns >= kFewestOpen * static_cast<double>(load.length_ns());
}

double SecondsFromStart(const Timeline& timeline, uint64_t time_ns) {
  return SecondsOf(time_ns - timeline.start_ns());
}

}  // namespace

TimeRange RangeOfLoad(const Timeline& timeline, const FoundRequests& found,
                      std::span<const uint8_t> is_server, const TimeRange& range) {
  const RequestsByPort by_port = SortByPort(found);
  const uint16_t port = RootPort(timeline, found, by_port);
  if (port == 0) return range;
  const std::vector<const Request*>& requests = by_port.at(port);
  const auto served = std::count_if(requests.begin(), requests.end(), [&](const Request* request) {
    return request->thread < is_server.size() && is_server[request->thread] != 0;
  });
  if (static_cast<size_t>(served) * 2 <= requests.size()) return range;
  const LoadTime load = WhenTheyCame(requests);
  if (!AreALoad(requests, load)) return range;
  if (static_cast<double>(load.length_ns()) >=
      kLoadIsAllOfTheTime * static_cast<double>(range.length_ns()))
    return range;
  // A range ends behind what is in it.
  return {load.from_ns, load.to_ns + 1};
}

std::string LoadRangeText(const Timeline& timeline, const TimeRange& load) {
  return absl::StrFormat("requests came only from %.2f s to %.2f s of the recording",
                         SecondsFromStart(timeline, load.from_ns),
                         SecondsFromStart(timeline, load.to_ns));
}

}  // namespace gordian
