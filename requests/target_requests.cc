// SPDX-License-Identifier: Apache-2.0
#include "requests/target_requests.h"

#include <map>
#include <utility>

namespace gordian {

TargetRequests RequestsOfTarget(const FoundRequests& found, std::span<const uint8_t> is_target) {
  std::map<uint16_t, TargetRequests> of_port;
  for (const Request& request : found.requests) {
    if (request.connection == kNoConnection || request.thread >= is_target.size() ||
        is_target[request.thread] == 0)
      continue;
    const uint16_t port = found.connections[request.connection].to_server.destination_port;
    TargetRequests& its = of_port[port];
    its.port = port;
    its.requests.push_back(&request);
    its.time_ns += request.latency_ns();
  }
  TargetRequests most;
  for (auto& [port, its] : of_port)
    if (most.requests.empty() || its.time_ns > most.time_ns) most = std::move(its);
  return most;
}

}  // namespace gordian
