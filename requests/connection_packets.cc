// SPDX-License-Identifier: Apache-2.0
#include "requests/connection_packets.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "analyzer/flows/connections.h"

namespace gordian {
namespace {

class ConnectionGrouper {
 public:
  ConnectionGrouper(std::span<const PacketRecord> packets, const FlowTable& flows, uint32_t node,
                    std::span<const uint16_t> ports)
      : packets_(packets), flows_(flows) {
    const FlowTable* const of_node = &flows;
    TcpConnections found = FindConnections({&of_node, 1}, ports);
    for (const FlowTuple& tuple : found.to_server)
      result_.connections.push_back({.to_server = tuple, .node = node});
    place_of_flow_ = std::move(found.place_of_flow.front());
  }

  ConnectionPackets Group() {
    CountPackets();
    LeaveWhatIsPassedOn();
    PlacePackets();
    return std::move(result_);
  }

 private:
  const FlowPlace* PlaceOf(const PacketRecord& packet) const {
    const auto found = place_of_flow_.find(packet.flow_id);
    return found == place_of_flow_.end() ? nullptr : &found->second;
  }

  void CountPackets() {
    result_.first.assign(result_.connections.size() + 1, 0);
    result_.sent.resize(result_.connections.size());
    for (const PacketRecord& packet : packets_) {
      const FlowPlace* const place = PlaceOf(packet);
      if (place == nullptr) {
        if (!flows_.contains(packet.flow_id)) ++result_.packets_without_flow;
        continue;
      }
      ++result_.first[place->connection + 1];
      RequestConnection& connection = result_.connections[place->connection];
      if (!packet.sent || packet.thread == kNobody) continue;
      (place->to_server ? connection.is_asked : connection.is_served) = true;
      PacketsSent& sent = result_.sent[place->connection];
      ++(place->to_server ? sent.to_server : sent.to_client);
    }
    for (size_t i = 0; i < result_.connections.size(); ++i)
      result_.first[i + 1] += result_.first[i];
  }

  // Its answers were sent on another connection.
  void LeaveWhatIsPassedOn() {
    for (const auto& [id, place] : place_of_flow_) {
      const uint32_t origin = flows_.at(id).origin_flow_id;
      RequestConnection& connection = result_.connections[place.connection];
      if (place.to_server || origin == 0 || origin == id || !flows_.contains(origin) ||
          !connection.is_served)
        continue;
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
      PacketPlace& here = result_.places[next[place->connection]++];
      here.index = i;
      here.to_server = place->to_server ? 1 : 0;
    }
  }

  std::span<const PacketRecord> packets_;
  const FlowTable& flows_;
  absl::flat_hash_map<uint32_t, FlowPlace> place_of_flow_;
  ConnectionPackets result_;
};

}  // namespace

ConnectionPackets GroupByConnection(std::span<const PacketRecord> packets, const FlowTable& flows,
                                    uint32_t node, std::span<const uint16_t> ports) {
  return ConnectionGrouper(packets, flows, node, ports).Group();
}

}  // namespace gordian
