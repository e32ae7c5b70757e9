// SPDX-License-Identifier: Apache-2.0
#include "requests/load.h"

#include <algorithm>
#include <cstddef>

namespace gordian {
namespace {

constexpr size_t kLeftOut = 200;  // one in so many, at either end

bool HasServer(const Request& request) {
  return request.thread != kNobody && request.connection != kNoConnection;
}

class RootSearch {
 public:
  RootSearch(const Timeline& timeline, const FoundRequests& found) : timeline_(timeline) {
    for (const Entity& entity : timeline.entities()) has_target_ |= entity.target;
    for (const Request& request : found.requests)
      if (HasServer(request))
        port_of_server_.try_emplace(request.thread, PortOfRequest(found, request));
  }

  uint16_t Find(const RequestsByPort& by_port) const {
    uint16_t root = 0;
    uint64_t most_ns = 0;
    for (const auto& [port, requests] : by_port) {
      uint64_t time_ns = 0;
      size_t asked = 0;
      size_t of_target = 0;
      for (const Request* request : requests) {
        time_ns += request->latency_ns();
        of_target += IsTarget(request->thread) || IsTarget(request->client) ? 1 : 0;
        const auto asker = port_of_server_.find(request->client);
        asked += asker != port_of_server_.end() && asker->second != port ? 1 : 0;
      }
      const bool is_other = has_target_ && of_target * 2 <= requests.size();
      if (is_other || asked * 2 > requests.size() || time_ns < most_ns) continue;
      root = port;
      most_ns = time_ns;
    }
    return root;
  }

 private:
  bool IsTarget(EntityId thread) const {
    return thread < timeline_.thread_count() && timeline_.entities()[thread].target;
  }

  const Timeline& timeline_;
  std::map<EntityId, uint16_t> port_of_server_;
  bool has_target_ = false;
};

}  // namespace

uint16_t PortOfRequest(const FoundRequests& found, const Request& request) {
  return found.connections[request.connection].to_server.destination_port;
}

RequestsByPort SortByPort(const FoundRequests& found) {
  RequestsByPort by_port;
  for (const Request& request : found.requests)
    if (HasServer(request)) by_port[PortOfRequest(found, request)].push_back(&request);
  return by_port;
}

uint16_t RootPort(const Timeline& timeline, const FoundRequests& found,
                  const RequestsByPort& by_port) {
  return RootSearch(timeline, found).Find(by_port);
}

LoadTime WhenTheyCame(std::span<const Request* const> requests) {
  if (requests.empty()) return {};
  const size_t left_out = requests.size() / kLeftOut;
  std::vector<uint64_t> starts_ns, answers_ns;
  starts_ns.reserve(requests.size());
  answers_ns.reserve(requests.size());
  for (const Request* request : requests) {
    starts_ns.push_back(request->start_ns);
    answers_ns.push_back(request->answer_ns);
  }
  std::sort(starts_ns.begin(), starts_ns.end());
  std::sort(answers_ns.begin(), answers_ns.end());
  LoadTime load = {.from_ns = starts_ns[left_out],
                   .to_ns = answers_ns[answers_ns.size() - 1 - left_out]};
  load.to_ns = std::max(load.to_ns, load.from_ns + 1);
  // One more than were left out, as they are not spread quite evenly.
  const uint64_t end_ns =
      load.length_ns() / (requests.size() - 2 * left_out) * (left_out == 0 ? 0 : left_out + 1);
  load.from_ns = std::max(load.from_ns - std::min(load.from_ns, end_ns), starts_ns.front());
  load.to_ns = std::min(load.to_ns + end_ns, std::max(load.to_ns, answers_ns.back()));
  return load;
}

}  // namespace gordian
