// SPDX-License-Identifier: Apache-2.0
#include "requests/connection_packets.h"

#include <netinet/in.h>

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace gordian {
namespace {

// A host's port.
struct TcpEnd {
  HostAddress address;
  uint16_t port = 0;
  bool operator==(const TcpEnd&) const = default;
  template <typename H>
  friend H AbslHashValue(H hash, const TcpEnd& end) {
    return H::combine(std::move(hash), end.address.family, end.address.bytes, end.port);
  }
};

TcpEnd SourceOf(const FlowTuple& tuple) { return {tuple.source, tuple.source_port}; }

// A direction of a connection.
struct FlowPlace {
  uint32_t connection = kNoConnection;
  bool forward = false;  // as the connection's tuple has it
};

class ConnectionGrouper {
 public:
  ConnectionGrouper(std::span<const PacketRecord> packets, const FlowTable& flows, uint32_t node,
                    std::span<const uint16_t> ports)
      : packets_(packets), flows_(flows), node_(node), ports_(ports) {}

  ConnectionPackets Group() {
    AddFlows();
    for (auto& [tuple, connection] : numbers_) {
      ++others_of_end_[SourceOf(tuple)];
      ++others_of_end_[SourceOf(tuple.Mirrored())];
    }
    for (RequestConnection& connection : result_.connections)
      turned_.push_back(TurnToServer(connection));
    CountPackets();
    PlacePackets();
    return std::move(result_);
  }

 private:
  // In order of ids, so that connections have the same numbers each time.
  void AddFlows() {
    std::vector<uint32_t> ids;
    for (const auto& [id, flow] : flows_)
      if (flow.protocol == IPPROTO_TCP && (flow.source_port != 0 || flow.destination_port != 0))
        ids.push_back(id);
    std::sort(ids.begin(), ids.end());
    for (const uint32_t id : ids) {
      const FlowRecord& flow = flows_.at(id);
      const FlowTuple tuple = {.source = {flow.family, flow.source},
                               .destination = {flow.family, flow.destination},
                               .source_port = flow.source_port,
                               .destination_port = flow.destination_port,
                               .protocol = flow.protocol};
      const FlowTuple mirrored = tuple.Mirrored();
      const bool forward = tuple < mirrored;
      const auto next = static_cast<uint32_t>(result_.connections.size());
      const auto [place, is_new] = numbers_.try_emplace(forward ? tuple : mirrored, next);
      if (is_new) {
        result_.connections.push_back({.to_server = place->first, .node = node_});
        is_passed_on_.push_back({});
      }
      place_of_flow_[id] = {place->second, forward};
      const bool passed_on = flow.origin_flow_id != 0 && flow.origin_flow_id != id &&
                             flows_.contains(flow.origin_flow_id);
      if (passed_on) is_passed_on_[place->second][forward ? 1 : 0] = 1;
    }
  }

  bool IsAskedFor(uint16_t port) const {
    return std::find(ports_.begin(), ports_.end(), port) != ports_.end();
  }

  // Whether it had to be turned.
  bool TurnToServer(RequestConnection& connection) const {
    const FlowTuple& tuple = connection.to_server;
    const auto rank = [this](const FlowTuple& from) {
      const TcpEnd end = SourceOf(from);
      return std::tuple(IsAskedFor(end.port), others_of_end_.at(end), UINT16_MAX - end.port);
    };
    const bool turn = rank(tuple) > rank(tuple.Mirrored());
    if (turn) connection.to_server = tuple.Mirrored();
    return turn;
  }

  const FlowPlace* PlaceOf(const PacketRecord& packet) const {
    const auto found = place_of_flow_.find(packet.flow_id);
    return found == place_of_flow_.end() ? nullptr : &found->second;
  }

  void CountPackets() {
    result_.first.assign(result_.connections.size() + 1, 0);
    for (const PacketRecord& packet : packets_) {
      const FlowPlace* const place = PlaceOf(packet);
      if (place == nullptr) {
        if (!flows_.contains(packet.flow_id)) ++result_.packets_without_flow;
        continue;
      }
      ++result_.first[place->connection + 1];
      const bool to_server = place->forward != turned_[place->connection];
      RequestConnection& connection = result_.connections[place->connection];
      if (!packet.sent || packet.thread == kNobody) continue;
      (to_server ? connection.is_asked : connection.is_served) = true;
    }
    for (size_t i = 0; i < result_.connections.size(); ++i) {
      result_.first[i + 1] += result_.first[i];
      RequestConnection& connection = result_.connections[i];
      if (!connection.is_served || is_passed_on_[i][turned_[i] ? 1 : 0] == 0) continue;
      connection.is_served = false;
      ++result_.passed_on;
    }
  }

  void PlacePackets() {
    result_.places.resize(result_.first.back());
    std::vector<uint64_t> next(result_.first.begin(), result_.first.end() - 1);
    for (size_t i = 0; i < packets_.size(); ++i) {
      const FlowPlace* const place = PlaceOf(packets_[i]);
      if (place == nullptr) continue;
      const bool to_server = place->forward != turned_[place->connection];
      PacketPlace& here = result_.places[next[place->connection]++];
      here.index = i;
      here.to_server = to_server ? 1 : 0;
    }
  }

  std::span<const PacketRecord> packets_;
  const FlowTable& flows_;
  const uint32_t node_;
  std::span<const uint16_t> ports_;
  absl::flat_hash_map<FlowTuple, uint32_t> numbers_;  // the lesser direction of each connection
  absl::flat_hash_map<uint32_t, FlowPlace> place_of_flow_;
  absl::flat_hash_map<TcpEnd, uint64_t> others_of_end_;
  std::vector<std::array<uint8_t, 2>> is_passed_on_;  // by connection: the greater, the lesser one
  std::vector<bool> turned_;
  ConnectionPackets result_;
};

}  // namespace

ConnectionPackets GroupByConnection(std::span<const PacketRecord> packets, const FlowTable& flows,
                                    uint32_t node, std::span<const uint16_t> ports) {
  return ConnectionGrouper(packets, flows, node, ports).Group();
}

}  // namespace gordian
