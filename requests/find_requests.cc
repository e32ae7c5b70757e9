// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "base/parallel.h"
#include "requests/connection_packets.h"
#include "requests/local_services.h"
#include "requests/requests.h"
#include "requests/sent_elsewhere.h"
#include "requests/service_tiers.h"
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
    GroupPackets();
    for (uint32_t node = 0; node < packets_of_node_.size(); ++node) FindOnNode(node);
    packets_of_node_.clear();
    LocalServices services(found_.connections);
    for (uint32_t node = 0; node < timeline_.local_message_rows().size(); ++node)
      FindLocalOnNode(node, services);
    NameClientsElsewhere();
    SeparateTiers(found_, services);
    found_.local_services = services.TakeNames();
    const auto by_answer = [](const Request& a, const Request& b) {
      return std::tie(a.answer_ns, a.connection) < std::tie(b.answer_ns, b.connection);
    };
    std::sort(found_.requests.begin(), found_.requests.end(), by_answer);
    std::sort(found_.others.begin(), found_.others.end(), by_answer);
    return std::move(found_);
  }

 private:
  struct PlaceOnNode {
    uint32_t node = 0;
    size_t connection = 0;  // of that node
  };

  void GroupPackets() {
    static const FlowTable kNoFlows;
    for (uint32_t node = 0; node < timeline_.packet_rows().size(); ++node) {
      packets_of_node_.push_back(GroupByConnection(timeline_.packet_rows()[node],
                                                   node < flows_.size() ? flows_[node] : kNoFlows,
                                                   node, search_.ports));
    }
    if (packets_of_node_.size() < 2) return;
    KeepOneEnd(&RequestConnection::is_served, &PacketsSent::to_client);
    asked_from_ = KeepOneEnd(&RequestConnection::is_asked, &PacketsSent::to_server);
    for (const MessageFlight& flight : timeline_.flights()) {
      const std::vector<Entity>& entities = timeline_.entities();
      if (flight.sender >= entities.size() || flight.receiver >= entities.size()) continue;
      const uint64_t flight_ns = flight.received_ns - std::min(flight.received_ns, flight.sent_ns);
      const auto [shortest, is_new] = shortest_flights_ns_.try_emplace(
          {entities[flight.sender].node, entities[flight.receiver].node}, flight_ns);
      shortest->second = std::min(shortest->second, flight_ns);
    }
  }

  // An end of a connection is on one node: the one whose threads sent most. Nodes that share a
  // kernel (containers, network namespaces) may see some of each other's packets.
  absl::flat_hash_map<FlowTuple, PlaceOnNode> KeepOneEnd(bool RequestConnection::*is_here,
                                                         uint64_t PacketsSent::*packets) {
    absl::flat_hash_map<FlowTuple, PlaceOnNode> places;
    for (uint32_t node = 0; node < packets_of_node_.size(); ++node) {
      ConnectionPackets& grouped = packets_of_node_[node];
      for (size_t i = 0; i < grouped.connections.size(); ++i) {
        RequestConnection& connection = grouped.connections[i];
        if (!(connection.*is_here)) continue;
        const auto [place, is_new] = places.try_emplace(connection.to_server, PlaceOnNode{node, i});
        if (is_new) continue;
        ConnectionPackets& other = packets_of_node_[place->second.node];
        const bool is_more =
            grouped.sent[i].*packets > other.sent[place->second.connection].*packets;
        RequestConnection& lesser =
            is_more ? other.connections[place->second.connection] : connection;
        lesser.*is_here = false;
        if (is_more) place->second = {node, i};
      }
    }
    return places;
  }

  std::vector<ConnectionData> DataOfConnection(uint32_t node, size_t connection) const {
    const ConnectionPackets& grouped = packets_of_node_[node];
    const bool ipv6 = grouped.connections[connection].to_server.source.family == FlowFamily::kIpv6;
    return DataOf(timeline_.packet_rows()[node], grouped.PlacesOf(connection), ipv6);
  }

  // With what its client's node saw leave for it.
  std::vector<ConnectionData> AllDataOfConnection(uint32_t node, size_t connection) const {
    std::vector<ConnectionData> data = DataOfConnection(node, connection);
    const RequestConnection& it = packets_of_node_[node].connections[connection];
    const auto asked = asked_from_.find(it.to_server);
    if (!it.is_served || it.is_asked || asked == asked_from_.end()) return data;
    const PlaceOnNode& from = asked->second;
    const auto flight = shortest_flights_ns_.find({from.node, node});
    return WithSentElsewhere(std::move(data), DataOfConnection(from.node, from.connection),
                             flight == shortest_flights_ns_.end() ? 0 : flight->second);
  }

  void FindOnNode(uint32_t node) {
    const ConnectionPackets& grouped = packets_of_node_[node];
    found_.counts.packets_without_flow += grouped.packets_without_flow;
    found_.counts.passed_on += grouped.passed_on;
    std::vector<ConnectionTurns> turns(grouped.connections.size());
    const auto first_number = static_cast<uint32_t>(found_.connections.size());
    ParallelFor(ThreadCount(search_.threads), turns.size(), [&](size_t i, int /*worker*/) {
      const RequestConnection& connection = grouped.connections[i];
      if (!connection.is_served && !connection.is_asked) return;
      turns[i].is_served = connection.is_served;
      const std::vector<ConnectionData> data = AllDataOfConnection(node, i);
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
    const auto by_answer = [](const Request* a, const Request* b) {
      return a->answer_ns < b->answer_ns;
    };
    absl::flat_hash_map<FlowTuple, std::vector<const Request*>> asked;  // by answer
    for (const Request& other : found_.others) {
      const RequestConnection& connection = found_.connections[other.connection];
      if (!connection.is_served && other.client != kNobody)
        asked[connection.to_server].push_back(&other);
    }
    for (auto& [connection, requests] : asked)
      std::sort(requests.begin(), requests.end(), by_answer);
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
      if (IsAcrossPause(request)) {
        ++found_.counts.without_answer;
        continue;
      }
      const bool wanted = IsWanted(request);
      is_wanted |= wanted;
      (wanted ? found_.requests : found_.others).push_back(request);
      if (wanted && request.thread == kNobody) ++found_.counts.without_thread;
    }
    if (is_wanted) found_.counts += turns.counts;
  }

  // The answer may have been another one's: what was asked and answered in a pause is not known.
  bool IsAcrossPause(const Request& request) const {
    return timeline_.pauses().NextPause(request.start_ns, Pauses::kNever) < request.answer_ns;
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
  std::vector<ConnectionPackets> packets_of_node_;
  absl::flat_hash_map<FlowTuple, PlaceOnNode> asked_from_;
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> shortest_flights_ns_;  // by nodes: from, to
  FoundRequests found_;
};

}  // namespace

FoundRequests FindRequests(const Timeline& timeline, std::span<const FlowTable> flows_of_node,
                           const RequestSearch& search) {
  return RequestFinder(timeline, flows_of_node, search).Find();
}

}  // namespace gordian
