// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/parallel.h"
#include "requests/connection_packets.h"
#include "requests/local_services.h"
#include "requests/private_connections.h"
#include "requests/requests.h"
#include "requests/sent_elsewhere.h"
#include "requests/service_tiers.h"
#include "requests/turns.h"

namespace gordian {
namespace {

// As many as parts that tell how far chance moves a gain.
constexpr uint64_t kStretches = 8;

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
      : timeline_(timeline), flows_(flows), search_(search), privates_(timeline) {}

  FoundRequests Find() {
    ChooseStretches();
    if (found_.stretches.empty()) FindBetween(0, std::numeric_limits<uint64_t>::max());
    for (const SearchedStretch& stretch : found_.stretches)
      FindBetween(stretch.from_ns, stretch.to_ns);
    LocalServices services(found_.connections);
    for (uint32_t node = 0; node < timeline_.local_message_rows().size(); ++node)
      FindLocalOnNode(node, services);
    NameClientsElsewhere();
    SeparateTiers(found_, services);
    privates_.Join(found_, services);
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

  std::span<const PacketRecord> PacketsBetween(uint32_t node, uint64_t from_ns,
                                               uint64_t to_ns) const {
    const std::span<const PacketRecord> all = timeline_.packet_rows()[node];
    const auto place_of = [&](uint64_t time_ns) {
      const auto at = std::partition_point(
          all.begin(), all.end(),
          [time_ns](const PacketRecord& packet) { return packet.time_ns < time_ns; });
      return static_cast<size_t>(at - all.begin());
    };
    const size_t first = place_of(from_ns);
    return all.subspan(first, std::max(first, place_of(to_ns)) - first);
  }

  void ChooseStretches() {
    const uint64_t from_ns = std::max(search_.from_ns, timeline_.start_ns());
    const uint64_t to_ns = std::min(search_.to_ns, timeline_.end_ns());
    uint64_t packets = 0;
    for (uint32_t node = 0; node < timeline_.packet_rows().size(); ++node)
      packets += PacketsBetween(node, from_ns, to_ns).size();
    if (packets <= search_.most_packets || from_ns + kStretches > to_ns) return;
    found_.share = static_cast<double>(search_.most_packets) / static_cast<double>(packets);
    const uint64_t every_ns = (to_ns - from_ns) / kStretches;
    const auto length_ns = static_cast<uint64_t>(static_cast<double>(every_ns) * found_.share);
    for (uint64_t i = 0; i < kStretches; ++i) {
      const uint64_t begin_ns = from_ns + i * every_ns + (every_ns - length_ns) / 2;
      found_.stretches.push_back({begin_ns, begin_ns + length_ns});
    }
  }

  void FindBetween(uint64_t from_ns, uint64_t to_ns) {
    packets_.clear();
    packets_of_node_.clear();
    shortest_flights_ns_.clear();
    for (uint32_t node = 0; node < timeline_.packet_rows().size(); ++node)
      packets_.push_back(PacketsBetween(node, from_ns, to_ns));
    GroupPackets();
    for (uint32_t node = 0; node < packets_of_node_.size(); ++node) FindOnNode(node);
    packets_of_node_.clear();
  }

  void GroupPackets() {
    static const FlowTable kNoFlows;
    for (uint32_t node = 0; node < packets_.size(); ++node) {
      packets_of_node_.push_back(GroupByConnection(
          packets_[node], node < flows_.size() ? flows_[node] : kNoFlows, node, search_.ports));
      privates_.Turn(packets_[node], search_.ports, packets_of_node_.back());
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
    return DataOf(packets_[node], grouped.PlacesOf(connection), ipv6);
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
    std::vector<ConnectionTurns> turns(grouped.connections.size());
    const uint32_t first_number = NumberConnections(node);
    ParallelFor(ThreadCount(search_.threads), turns.size(), [&](size_t i, int /*worker*/) {
      const RequestConnection& connection = grouped.connections[i];
      if (!connection.is_served && !connection.is_asked) return;
      turns[i].is_served = connection.is_served;
      const std::vector<ConnectionData> data = AllDataOfConnection(node, i);
      AddRequests(data, first_number + static_cast<uint32_t>(i), turns[i].requests,
                  turns[i].counts);
    });
    for (const ConnectionTurns& of_connection : turns) Take(of_connection);
  }

  // They are the same in each stretch, as flows tell them.
  uint32_t NumberConnections(uint32_t node) {
    const ConnectionPackets& grouped = packets_of_node_[node];
    if (node >= first_number_.size()) {
      first_number_.push_back(static_cast<uint32_t>(found_.connections.size()));
      found_.counts.passed_on += grouped.passed_on;
      found_.connections.insert(found_.connections.end(), grouped.connections.begin(),
                                grouped.connections.end());
      return first_number_.back();
    }
    for (size_t i = 0; i < grouped.connections.size(); ++i) {
      RequestConnection& connection = found_.connections[first_number_[node] + i];
      connection.is_served |= grouped.connections[i].is_served;
      connection.is_asked |= grouped.connections[i].is_asked;
      if (!grouped.connections[i].is_private) continue;
      connection.is_private = true;
      connection.to_server = grouped.connections[i].to_server;
    }
    return first_number_[node];
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
                                    .is_asked = true,
                                    .is_private = connection.is_pipe});
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
  // Of the stretch that is being looked at.
  std::vector<std::span<const PacketRecord>> packets_;  // by node
  std::vector<ConnectionPackets> packets_of_node_;
  absl::flat_hash_map<FlowTuple, PlaceOnNode> asked_from_;
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> shortest_flights_ns_;  // by nodes: from, to
  PrivateConnections privates_;
  std::vector<uint32_t> first_number_;  // by node: of its connections, in found_
  FoundRequests found_;
};

}  // namespace

uint64_t FoundRequests::StretchOf(uint64_t time_ns) const {
  const auto behind =
      std::partition_point(stretches.begin(), stretches.end(),
                           [time_ns](const SearchedStretch& it) { return it.from_ns <= time_ns; });
  return behind == stretches.begin() ? 0 : (behind - 1)->from_ns;
}

FoundRequests FindRequests(const Timeline& timeline, std::span<const FlowTable> flows_of_node,
                           const RequestSearch& search) {
  return RequestFinder(timeline, flows_of_node, search).Find();
}

}  // namespace gordian
