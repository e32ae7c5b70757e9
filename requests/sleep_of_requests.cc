// SPDX-License-Identifier: Apache-2.0
#include "requests/sleep_of_requests.h"

#include <algorithm>
#include <map>
#include <vector>

#include "base/time_units.h"
#include "requests/target_requests.h"

namespace gordian {
namespace {

constexpr size_t kRequestsFollowed = 1000;

// The thread whose own sleep this step waits for in the end.
EntityId SleeperOf(const RequestStep& step) {
  if (step.kind == RequestStepKind::kTimer) return step.thread;
  if (step.cause == RequestStepKind::kTimer) return step.cause_thread;
  return step.inner == RequestStepKind::kTimer ? step.inner_thread : kNobody;
}

}  // namespace

SleepOfRequests FindSleepOfRequests(const FoundRequests& found, const RequestWalk& walk,
                                    std::span<const uint8_t> is_target, uint64_t searched_ns) {
  SleepOfRequests sleep;
  const TargetRequests its = RequestsOfTarget(found, is_target);
  const std::vector<const Request*>& requests = its.requests;
  if (requests.empty() || searched_ns == 0) return sleep;
  sleep.port = its.port;
  sleep.requests = requests.size();
  const auto all_time_ns = static_cast<double>(its.time_ns);
  sleep.mean_s = all_time_ns / kNsPerSecond / static_cast<double>(requests.size());
  sleep.open = all_time_ns / static_cast<double>(searched_ns);

  std::map<EntityId, uint64_t> time_of_sleeper;
  std::map<EntityId, uint64_t> time_of_own_timer;
  uint64_t all_ns = 0;
  RequestStepCounts counts;
  const size_t stride = std::max<size_t>(1, requests.size() / kRequestsFollowed);
  for (size_t i = 0; i < requests.size(); i += stride) {
    all_ns += requests[i]->latency_ns();
    for (const RequestStep& step : walk.StepsOf(*requests[i], counts)) {
      const EntityId sleeper = SleeperOf(step);
      if (sleeper == kNobody) continue;
      time_of_sleeper[sleeper] += step.to_ns - step.from_ns;
      if (step.for_events && sleeper == step.thread && sleeper == requests[i]->thread)
        time_of_own_timer[sleeper] += step.to_ns - step.from_ns;
    }
  }
  if (time_of_sleeper.empty() || all_ns == 0) return sleep;
  sleep.sleeper = std::max_element(time_of_sleeper.begin(), time_of_sleeper.end(),
                                   [](const auto& a, const auto& b) { return a.second < b.second; })
                      ->first;
  sleep.share = static_cast<double>(time_of_sleeper[sleep.sleeper]) / static_cast<double>(all_ns);
  sleep.is_own_timer = 2 * time_of_own_timer[sleep.sleeper] > time_of_sleeper[sleep.sleeper];
  return sleep;
}

}  // namespace gordian
