// SPDX-License-Identifier: Apache-2.0
#include "live/live_requests.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/time_units.h"
#include "requests/requests.h"

namespace gordian {
namespace {

// So many took no longer. `latencies_ns` in order.
uint64_t Quantile(std::span<const uint64_t> latencies_ns, double quantile) {
  const double rank = std::ceil(quantile * static_cast<double>(latencies_ns.size()));
  return latencies_ns[static_cast<size_t>(std::max(rank, 1.0)) - 1];
}

}  // namespace

std::optional<pb::LiveRequests> LiveRequestsOf(const Analysis& analysis,
                                               std::span<const FlowTable> flows_of_node) {
  const Timeline& timeline = analysis.timeline();
  const TimeRange& range = analysis.range();
  std::vector<uint8_t> is_target(timeline.thread_count());
  for (EntityId thread = 0; thread < is_target.size(); ++thread)
    is_target[thread] = analysis.wait_for_graph().entities[thread].target ? 1 : 0;
  // Where nothing stands out as the target, all servers are.
  if (std::find(is_target.begin(), is_target.end(), 1) == is_target.end()) is_target.clear();
  const FoundRequests found = FindRequests(
      timeline, flows_of_node,
      {.is_target = is_target, .from_ns = range.from_ns, .to_ns = range.to_ns, .threads = 1});
  if (found.requests.empty()) return std::nullopt;
  const uint64_t last_second_ns =
      range.to_ns - std::min(range.to_ns, std::min(range.length_ns(), kNsPerSecond));
  uint64_t in_last_second = 0;
  std::vector<uint64_t> latencies_ns;
  for (const Request& request : found.requests) {
    latencies_ns.push_back(request.latency_ns());
    in_last_second += request.answer_ns > last_second_ns ? 1 : 0;
  }
  std::sort(latencies_ns.begin(), latencies_ns.end());
  pb::LiveRequests told;
  told.set_finished_per_s(static_cast<double>(in_last_second) /
                          SecondsOf(range.to_ns - last_second_ns));
  told.set_finished(latencies_ns.size());
  told.set_median_s(SecondsOf(Quantile(latencies_ns, 0.5)));
  told.set_p99_s(SecondsOf(Quantile(latencies_ns, 0.99)));
  told.set_longest_s(SecondsOf(latencies_ns.back()));
  told.set_open(found.counts.without_answer);
  return told;
}

}  // namespace gordian
