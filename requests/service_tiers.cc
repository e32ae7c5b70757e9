// SPDX-License-Identifier: Apache-2.0
#include "requests/service_tiers.h"

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "trace/wait_object.h"

namespace gordian {
namespace {

struct ServerAddress {
  uint16_t port = 0;
  HostAddress address;
  bool operator==(const ServerAddress&) const = default;
  bool operator<(const ServerAddress& other) const {
    return std::tie(port, address) < std::tie(other.port, other.address);
  }
};

class TierFinder {
 public:
  explicit TierFinder(FoundRequests& found) : found_(found) {}

  void Separate(LocalServices& services) {
    FindAskers();
    std::map<std::pair<uint16_t, size_t>, std::vector<ServerAddress>> tiers;
    for (const auto& [server, asked] : asked_)
      if (const size_t tier = TierOf(server); tier > 0)
        tiers[{server.port, tier}].push_back(server);
    std::map<ServerAddress, uint16_t> numbers;
    for (const auto& [tier, servers] : tiers) {
      std::string name = TextOf(servers.front());
      if (servers.size() > 1) absl::StrAppend(&name, " and ", servers.size() - 1, " more");
      const uint16_t number = services.NumberOf(name);
      for (const ServerAddress& server : servers) numbers[server] = number;
    }
    if (numbers.empty()) return;
    for (RequestConnection& connection : found_.connections) {
      const auto number = numbers.find(ServerOf(connection));
      if (number != numbers.end() && connection.to_server.protocol != 0)
        connection.to_server.destination_port = number->second;
    }
  }

 private:
  struct Asked {
    uint64_t requests = 0;
    std::map<ServerAddress, uint64_t> by_server;  // of the same port
  };

  static ServerAddress ServerOf(const RequestConnection& connection) {
    return {connection.to_server.destination_port, connection.to_server.destination};
  }
  static std::string TextOf(const ServerAddress& server) {
    const uint16_t family = server.address.family == FlowFamily::kIpv6 ? 10 : 2;  // AF_INET6, …
    return SocketAddressText(family, server.address.bytes, server.port);
  }

  template <typename Use>
  void ForEachServed(Use use) const {
    for (const std::vector<Request>* all : {&found_.requests, &found_.others}) {
      for (const Request& request : *all) {
        if (request.connection == kNoConnection) continue;
        const RequestConnection& connection = found_.connections[request.connection];
        if (connection.is_served && connection.to_server.protocol != 0)
          use(request, ServerOf(connection));
      }
    }
  }

  void FindAskers() {
    std::map<EntityId, std::set<ServerAddress>> answers;
    ForEachServed([&](const Request& request, const ServerAddress& server) {
      if (request.thread != kNobody) answers[request.thread].insert(server);
    });
    ForEachServed([&](const Request& request, const ServerAddress& server) {
      Asked& asked = asked_[server];
      ++asked.requests;
      const auto asker = answers.find(request.client);
      if (request.client == kNobody || asker == answers.end() || asker->second.contains(server))
        return;
      for (const ServerAddress& other : asker->second)
        if (other.port == server.port) ++asked.by_server[other];
    });
  }

  // Who asks most of its requests, if those are most.
  const ServerAddress* AskerOf(const ServerAddress& server) const {
    const auto asked = asked_.find(server);
    if (asked == asked_.end()) return nullptr;
    for (const auto& [other, requests] : asked->second.by_server)
      if (requests * 2 > asked->second.requests) return &other;
    return nullptr;
  }

  // How many ask before it; 0 in a circle.
  size_t TierOf(const ServerAddress& server) const {
    size_t tier = 0;
    for (const ServerAddress* asker = AskerOf(server); asker != nullptr; asker = AskerOf(*asker))
      if (++tier > asked_.size()) return 0;
    return tier;
  }

  FoundRequests& found_;
  std::map<ServerAddress, Asked> asked_;
};

}  // namespace

void SeparateTiers(FoundRequests& found, LocalServices& services) {
  TierFinder(found).Separate(services);
}

}  // namespace gordian
