// SPDX-License-Identifier: Apache-2.0
// The requests of one connection, from its packets. Inner to the library.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "requests/connection_packets.h"
#include "requests/requests.h"

namespace gordian {

// Data of one packet, seen for the first time.
struct ConnectionData {
  uint64_t time_ns = 0;
  uint64_t bytes = 0;
  uint32_t sequence = 0;      // of its first byte; 0 of local data
  EntityId thread = kNobody;  // who sent it; kNobody: the kernel, or another machine
  bool to_server = false;
  bool begins_anew = false;  // the connection's opening, or another one between the same ports;
                             // `bytes` may be 0
};

// In order of time. The same bytes count once: where the first interface saw them, however often
// they were sent, and on however many interfaces of the node they were seen.
std::vector<ConnectionData> DataOf(std::span<const PacketRecord> packets,
                                   std::span<const PacketPlace> places, bool ipv6);

// Adds those of `data` behind `requests`, by answer.
void AddRequests(std::span<const ConnectionData> data, uint32_t connection,
                 std::vector<Request>& requests, RequestCounts& counts);

}  // namespace gordian
