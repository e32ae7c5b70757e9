// SPDX-License-Identifier: Apache-2.0
// One node's recording of each flow it saw.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "trace/session_reader.h"
#include "traffic/processes.h"
#include "traffic/spans.h"
#include "traffic/tcp_payload.h"
#include "traffic/traffic.h"

namespace gordian {

struct HostAddress {
  FlowFamily family = FlowFamily::kUnknown;
  std::array<uint8_t, 16> bytes{};
  bool operator==(const HostAddress&) const = default;
  bool operator<(const HostAddress& other) const {
    return std::tie(family, bytes) < std::tie(other.family, other.bytes);
  }
};

struct FlowTuple {
  HostAddress source;
  HostAddress destination;
  uint16_t source_port = 0;
  uint16_t destination_port = 0;
  uint8_t protocol = 0;
  bool operator==(const FlowTuple&) const = default;
  auto Fields() const {
    return std::tie(source, destination, source_port, destination_port, protocol);
  }
  bool operator<(const FlowTuple& other) const { return Fields() < other.Fields(); }
  FlowTuple Mirrored() const;
  template <typename H>
  friend H AbslHashValue(H hash, const FlowTuple& tuple) {
    return H::combine(std::move(hash), tuple.source.family, tuple.source.bytes,
                      tuple.destination.bytes, tuple.source_port, tuple.destination_port,
                      tuple.protocol);
  }
};

struct TrafficCell {
  uint32_t span = 0;
  uint32_t process = kNoProcess;  // that sent it; kNoProcess: the flow's owner
  TrafficAmount amount;
};

// The packets of a flow that were sent, or those that were received.
struct FlowSide {
  std::vector<TrafficCell> cells;  // a span and process may have several
  TcpPayload tcp;
  uint32_t interface = 0;  // the one that is counted
  uint64_t last_packet_ns = 0;
  uint64_t last_payload_turn = 0;  // see NodePass::turn_
  uint64_t turns = 0;              // packets that may have carried something new
  bool seen = false;
};

struct NodeFlow {
  FlowTuple tuple;
  FlowSide sent;
  FlowSide received;
  uint32_t writer = kNoProcess;  // the last that sent on it by itself
  uint32_t reader = kNoProcess;  // that was first woken by a packet of it
};

struct NodeTraffic {
  std::vector<TrafficProcess> processes;
  std::vector<NodeFlow> flows;
  absl::flat_hash_map<FlowTuple, uint32_t> flow_of;
  std::set<HostAddress> declared;  // the node's own, as session.pb tells
  std::set<HostAddress> learned;   // that its threads sent from besides
  std::vector<TrafficCell> unknown_flows;
  uint64_t seen_again_packets = 0;
  uint64_t other_flows_packets = 0;
  uint64_t lost_packets = 0;
  uint64_t paused_ns = 0;

  const NodeFlow* Find(const FlowTuple& tuple) const;
};

NodeTraffic ReadNodeTraffic(SessionReader& session, const ClockShift& shift, const SpanPlan& plan,
                            size_t node);

}  // namespace gordian
