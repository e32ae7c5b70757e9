// SPDX-License-Identifier: Apache-2.0
#include "analyzer/flows/connections.h"

#include <netinet/in.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_set.h"

namespace gordian {
namespace {

constexpr uint32_t kAnyNode = 0xffffffff;
constexpr uint8_t kLoopbackNet = 127;

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

// Each host has such flows of its own, with the same addresses.
bool IsOfOneHost(const FlowTuple& tuple) {
  return tuple.source == tuple.destination ||
         (tuple.source.family == FlowFamily::kIpv4 && tuple.source.bytes[0] == kLoopbackNet);
}

class ConnectionFinder {
 public:
  explicit ConnectionFinder(std::span<const uint16_t> ports) : ports_(ports) {}

  TcpConnections Find(std::span<const FlowTable* const> flows_of_node) {
    for (uint32_t node = 0; node < flows_of_node.size(); ++node) {
      found_.place_of_flow.emplace_back();
      if (flows_of_node[node] != nullptr) AddFlows(*flows_of_node[node], node);
    }
    for (const FlowTuple& tuple : found_.to_server) {
      ++others_of_end_[SourceOf(tuple)];
      ++others_of_end_[SourceOf(tuple.Mirrored())];
    }
    std::vector<bool> turned(found_.to_server.size());
    for (const uint32_t number : ClearestFirst()) {
      FlowTuple& tuple = found_.to_server[number];
      turned[number] = RankOf(tuple) > RankOf(tuple.Mirrored());
      if (turned[number]) tuple = tuple.Mirrored();
      const TcpEnd client = SourceOf(tuple);
      if (others_of_end_.at(SourceOf(tuple.Mirrored())) > others_of_end_.at(client))
        clients_.insert(client);
    }
    for (auto& places : found_.place_of_flow) {
      for (auto& [id, place] : places)
        place.to_server = place.to_server != turned[place.connection];
    }
    return std::move(found_);
  }

 private:
  // In order of ids, so that connections have the same numbers each time. Until all are there, a
  // flow leads to the server if it is the lesser direction.
  void AddFlows(const FlowTable& flows, uint32_t node) {
    std::vector<uint32_t> ids;
    for (const auto& [id, flow] : flows)
      if (flow.protocol == IPPROTO_TCP && (flow.source_port != 0 || flow.destination_port != 0))
        ids.push_back(id);
    std::sort(ids.begin(), ids.end());
    for (const uint32_t id : ids) {
      const FlowTuple tuple = TupleOf(flows.at(id));
      const FlowTuple mirrored = tuple.Mirrored();
      const bool forward = tuple < mirrored;
      const FlowTuple& lesser = forward ? tuple : mirrored;
      const uint32_t whose = IsOfOneHost(tuple) ? node : kAnyNode;
      const auto next = static_cast<uint32_t>(found_.to_server.size());
      const auto [number, is_new] = numbers_.try_emplace({lesser, whose}, next);
      if (is_new) found_.to_server.push_back(lesser);
      found_.place_of_flow.back()[id] = {number->second, forward};
    }
  }

  // Those with the end that most others talk to come first: their clients are sure.
  std::vector<uint32_t> ClearestFirst() const {
    std::vector<uint64_t> most;
    std::vector<uint32_t> order;
    for (const FlowTuple& tuple : found_.to_server) {
      order.push_back(static_cast<uint32_t>(order.size()));
      most.push_back(std::max(others_of_end_.at(SourceOf(tuple)),
                              others_of_end_.at(SourceOf(tuple.Mirrored()))));
    }
    std::stable_sort(order.begin(), order.end(),
                     [&most](uint32_t a, uint32_t b) { return most[a] > most[b]; });
    return order;
  }

  // Of the end that sends on it: the higher one is the server's. The kernel gives a client's port
  // to connections with several servers, one after the other, while one of these connections
  // stays: that port has more others than the server's. But who is a client once is always one.
  std::tuple<bool, bool, uint64_t, uint16_t> RankOf(const FlowTuple& tuple) const {
    const TcpEnd end = SourceOf(tuple);
    const bool is_asked_for = std::find(ports_.begin(), ports_.end(), end.port) != ports_.end();
    return {is_asked_for, !clients_.contains(end), others_of_end_.at(end),
            static_cast<uint16_t>(UINT16_MAX - end.port)};
  }

  std::span<const uint16_t> ports_;
  absl::flat_hash_map<std::pair<FlowTuple, uint32_t>, uint32_t> numbers_;
  absl::flat_hash_map<TcpEnd, uint64_t> others_of_end_;
  absl::flat_hash_set<TcpEnd> clients_;
  TcpConnections found_;
};

}  // namespace

TcpConnections FindConnections(std::span<const FlowTable* const> flows_of_node,
                               std::span<const uint16_t> ports) {
  return ConnectionFinder(ports).Find(flows_of_node);
}

}  // namespace gordian
