// SPDX-License-Identifier: Apache-2.0
// One node's packets by TCP connection, and which end of each is the server. Inner to the library.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "requests/requests.h"

namespace gordian {

// A packet of a connection, by its place among the node's packets.
struct PacketPlace {
  uint64_t index : 63 = 0;
  uint64_t to_server : 1 = 0;
};
static_assert(sizeof(PacketPlace) == 8);

// Sent by threads of the node.
struct PacketsSent {
  uint64_t to_server = 0;
  uint64_t to_client = 0;
};

struct ConnectionPackets {
  std::vector<RequestConnection> connections;
  std::vector<PacketsSent> sent;    // by connection
  std::vector<uint64_t> first;      // by connection, in `places`, and its size behind the last
  std::vector<PacketPlace> places;  // of one connection: in order of time
  uint64_t packets_without_flow = 0;
  uint64_t passed_on = 0;

  std::span<const PacketPlace> PlacesOf(size_t connection) const {
    return std::span(places).subspan(first[connection], first[connection + 1] - first[connection]);
  }
};

// `ports` as in FindConnections.
ConnectionPackets GroupByConnection(std::span<const PacketRecord> packets, const FlowTable& flows,
                                    uint32_t node, std::span<const uint16_t> ports);

}  // namespace gordian
