// SPDX-License-Identifier: Apache-2.0
// One node's recording of each flow it saw.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/flows/flow_tuple.h"
#include "trace/session_reader.h"
#include "traffic/processes.h"
#include "traffic/spans.h"
#include "traffic/tcp_payload.h"
#include "traffic/traffic.h"

namespace gordian {

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
