// SPDX-License-Identifier: Apache-2.0
// The TCP connections among flows, and which end of each is the server.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/flows/flow_tuple.h"
#include "analyzer/timeline/flow_table.h"

namespace gordian {

inline constexpr uint32_t kNoConnection = 0xffffffff;

// A direction of a connection.
struct FlowPlace {
  uint32_t connection = kNoConnection;
  bool to_server = false;
};

struct TcpConnections {
  std::vector<FlowTuple> to_server;  // by connection; its source is the client
  // By node, then by flow id. Other flows than TCP's have none.
  std::vector<absl::flat_hash_map<uint32_t, FlowPlace>> place_of_flow;
};

// The server is the end with a port of `ports`; else the end that more others talk to, as clients
// have a port for each connection (or for several, with other servers each); else that with the
// lower port. Connections are numbered in order
// of nodes and flow ids.
TcpConnections FindConnections(std::span<const FlowTable* const> flows_of_node,
                               std::span<const uint16_t> ports = {});

}  // namespace gordian
