// SPDX-License-Identifier: Apache-2.0
#include "requests/sleep_of_requests.h"

#include <algorithm>
#include <map>
#include <vector>

#include "base/time_units.h"

namespace gordian {
namespace {

constexpr size_t kRequestsFollowed = 1000;

// The thread whose own sleep this step waits for in the end.
EntityId SleeperOf(const RequestStep& step) {
  if (step.kind == RequestStepKind::kTimer) return step.thread;
  if (step.cause == RequestStepKind::kTimer) return step.cause_thread;
  return step.inner == RequestStepKind::kTimer ? step.inner_thread : kNobody;
}

// That most time goes to.
template <typename Key>
Key KeyOfMost(const std::map<Key, uint64_t>& time_ns) {
  return std::max_element(time_ns.begin(), time_ns.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

}  // namespace

SleepOfRequests FindSleepOfRequests(const FoundRequests& found, const RequestWalk& walk,
                                    std::span<const uint8_t> is_target, uint64_t searched_ns) {
  const auto port_of = [&](const Request& request) {
    return found.connections[request.connection].to_server.destination_port;
  };
  const auto is_answered = [&](const Request& request) {
    return request.connection != kNoConnection && request.thread < is_target.size() &&
           is_target[request.thread] != 0;
  };
  std::map<uint16_t, uint64_t> time_of_port;
  for (const Request& request : found.requests)
    if (is_answered(request)) time_of_port[port_of(request)] += request.latency_ns();
  SleepOfRequests sleep;
  if (time_of_port.empty() || searched_ns == 0) return sleep;
  sleep.port = KeyOfMost(time_of_port);
  std::vector<const Request*> requests;
  for (const Request& request : found.requests)
    if (is_answered(request) && port_of(request) == sleep.port) requests.push_back(&request);
  sleep.requests = requests.size();
  const auto port_ns = static_cast<double>(time_of_port[sleep.port]);
  sleep.mean_s = port_ns / kNsPerSecond / static_cast<double>(requests.size());
  sleep.open = port_ns / static_cast<double>(searched_ns);

  std::map<EntityId, uint64_t> time_of_sleeper;
  uint64_t all_ns = 0;
  RequestStepCounts counts;
  const size_t stride = std::max<size_t>(1, requests.size() / kRequestsFollowed);
  for (size_t i = 0; i < requests.size(); i += stride) {
    all_ns += requests[i]->latency_ns();
    for (const RequestStep& step : walk.StepsOf(*requests[i], counts)) {
      const EntityId sleeper = SleeperOf(step);
      if (sleeper != kNobody) time_of_sleeper[sleeper] += step.to_ns - step.from_ns;
    }
  }
  if (time_of_sleeper.empty() || all_ns == 0) return sleep;
  sleep.sleeper = KeyOfMost(time_of_sleeper);
  sleep.share = static_cast<double>(time_of_sleeper[sleep.sleeper]) / static_cast<double>(all_ns);
  return sleep;
}

}  // namespace gordian
