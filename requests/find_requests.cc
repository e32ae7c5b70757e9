// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "base/parallel.h"
#include "requests/connection_packets.h"
#include "requests/local_services.h"
#include "requests/requests.h"
#include "requests/turns.h"

namespace gordian {
namespace {

RequestCounts& operator+=(RequestCounts& sum, const RequestCounts& more) {
  sum.without_answer += more.without_answer;
  sum.without_request += more.without_request;
  sum.in_several_parts += more.in_several_parts;
  sum.without_thread += more.without_thread;
  return sum;
}

// What one connection had.
struct ConnectionTurns {
  std::vector<Request> requests;
  RequestCounts counts;
  bool is_served = false;
};

class RequestFinder {
 public:
  RequestFinder(const Timeline& timeline, std::span<const FlowTable> flows,
                const RequestSearch& search)
      : timeline_(timeline), flows_(flows), search_(search) {}

  FoundRequests Find() {
    for (uint32_t node = 0; node < timeline_.packet_rows().size(); ++node) FindOnNode(node);
    LocalServices services(found_.connections);
    for (uint32_t node = 0; node < timeline_.local_message_rows().size(); ++node)
      FindLocalOnNode(node, services);
    found_.local_services = services.TakeNames();
    const auto by_answer = [](const Request& a, const Request& b) {
      return std::tie(a.answer_ns, a.connection) < std::tie(b.answer_ns, b.connection);
    };
    std::sort(found_.requests.begin(), found_.requests.end(), by_answer);
    std::sort(found_.others.begin(), found_.others.end(), by_answer);
    NameClientsElsewhere();
    return std::move(found_);
  }

 private:
  void FindOnNode(uint32_t node) {
    static const FlowTable kNoFlows;
    const std::span<const PacketRecord> packets = timeline_.packet_rows()[node];
    const ConnectionPackets grouped = GroupByConnection(
        packets, node < flows_.size() ? flows_[node] : kNoFlows, node, search_.ports);
    found_.counts.packets_without_flow += grouped.packets_without_flow;
    found_.counts.passed_on += grouped.passed_on;
    std::vector<ConnectionTurns> turns(grouped.connections.size());
    const auto first_number = static_cast<uint32_t>(found_.connections.size());
    ParallelFor(ThreadCount(search_.threads), turns.size(), [&](size_t i, int /*worker*/) {
      const RequestConnection& connection = grouped.connections[i];
      if (!connection.is_served && !connection.is_asked) return;
      turns[i].is_served = connection.is_served;
      const bool ipv6 = connection.to_server.source.family == FlowFamily::kIpv6;
      const std::vector<ConnectionData> data = DataOf(packets, grouped.PlacesOf(i), ipv6);
      AddRequests(data, first_number + static_cast<uint32_t>(i), turns[i].requests,
                  turns[i].counts);
    });
    found_.connections.insert(found_.connections.end(), grouped.connections.begin(),
                              grouped.connections.end());
    for (const ConnectionTurns& of_connection : turns) Take(of_connection);
  }

  // After all nodes' packets: their ports are known then.
  void FindLocalOnNode(uint32_t node, LocalServices& services) {
    if (node >= timeline_.local_message_rows().size() || node >= flows_.size()) return;
    const std::span<const LocalMessage> messages = timeline_.local_message_rows()[node];
    if (messages.empty()) return;
    const LocalConnections local = FindLocalConnections(messages, flows_[node], timeline_);
    found_.counts.pipes_left_out += local.pipes_left_out;
    const auto first_number = static_cast<uint32_t>(found_.connections.size());
    for (const LocalConnection& connection : local.connections)
      found_.connections.push_back({.to_server = services.TupleOf(connection, node),
                                    .node = node,
                                    .is_served = true,
                                    .is_asked = true});
    const std::vector<LocalData> data = LocalDataOf(messages, local);
    std::vector<ConnectionData> of_connection;
    for (size_t i = 0; i < data.size(); ++i) {
      of_connection.push_back({.time_ns = data[i].time_ns,
                               .bytes = data[i].bytes,
                               .thread = data[i].thread,
                               .to_server = data[i].place.to_server});
      const uint32_t connection = data[i].place.connection;
      if (i + 1 < data.size() && data[i + 1].place.connection == connection) continue;
      ConnectionTurns turns{.is_served = true};
      AddRequests(of_connection, first_number + connection, turns.requests, turns.counts);
      Take(turns);
      of_connection.clear();
    }
  }

  // Of requests that another node sent: who asked last on the same connection before the answer.
  void NameClientsElsewhere() {
    if (timeline_.packet_rows().size() < 2) return;
    absl::flat_hash_map<FlowTuple, std::vector<const Request*>> asked;  // by answer
    for (const Request& other : found_.others) {
      const RequestConnection& connection = found_.connections[other.connection];
      if (!connection.is_served && other.client != kNobody)
        asked[connection.to_server].push_back(&other);
    }
    for (Request& request : found_.requests) {
      if (request.client != kNobody) continue;
      const auto row = asked.find(found_.connections[request.connection].to_server);
      if (row == asked.end()) continue;
      const auto at = std::partition_point(
          row->second.begin(), row->second.end(),
          [&](const Request* other) { return other->answer_ns < request.answer_ns; });
      if (at != row->second.end() && (*at)->start_ns < request.answer_ns)
        request.client = (*at)->client;
    }
  }

  // A connection's counts are told if it is one of those asked for.
  void Take(const ConnectionTurns& turns) {
    bool is_wanted = turns.is_served && turns.requests.empty() && search_.is_target.empty();
    for (const Request& request : turns.requests) {
      const bool wanted = IsWanted(request);
      is_wanted |= wanted;
      (wanted ? found_.requests : found_.others).push_back(request);
      if (wanted && request.thread == kNobody) ++found_.counts.without_thread;
    }
    if (is_wanted) found_.counts += turns.counts;
  }

  bool IsWanted(const Request& request) const {
    const RequestConnection& connection = found_.connections[request.connection];
    if (!connection.is_served) return false;
    const uint16_t port = connection.to_server.destination_port;
    const bool of_port =
        search_.ports.empty() ||
        std::find(search_.ports.begin(), search_.ports.end(), port) != search_.ports.end();
    const bool of_target =
        search_.is_target.empty() ||
        (request.thread < search_.is_target.size() && search_.is_target[request.thread] != 0);
    return of_port && of_target && request.start_ns >= search_.from_ns &&
           request.answer_ns <= search_.to_ns;
  }

  const Timeline& timeline_;
  std::span<const FlowTable> flows_;
  const RequestSearch& search_;
  FoundRequests found_;
};

}  // namespace

FoundRequests FindRequests(const Timeline& timeline, std::span<const FlowTable> flows_of_node,
                           const RequestSearch& search) {
  return RequestFinder(timeline, flows_of_node, search).Find();
}

}  // namespace gordian
