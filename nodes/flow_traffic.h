// SPDX-License-Identifier: Apache-2.0
// The packets of one flow that tell which thread woke which, on one clock.
#pragma once

#include <cstdint>
#include <vector>

#include "nodes/messages.h"

namespace gordian {

// An interface's own header is counted where a packet is sent, not where it is received.
inline constexpr uint32_t kLargestInterfaceHeader = 22;

struct SentPacket {
  uint64_t time_ns = 0;       // the reference's
  uint64_t node_time_ns = 0;  // its node's
  EntityId thread = kNobody;  // kNobody: the kernel
  uint32_t node = 0;
  uint32_t sequence = 0;
  uint32_t bytes = 0;
  uint32_t interface = 0;
};

struct ReceivedPacket {
  uint64_t time_ns = 0;
  uint64_t node_time_ns = 0;
  uint32_t node = 0;
  uint32_t sequence = 0;
  uint32_t interface = 0;
  uint32_t bytes = 0;
};

struct Arrival {
  uint64_t time_ns = 0;    // the reference's
  uint64_t latest_ns = 0;  // a packet sent later than this cannot be it
  uint32_t sequence = 0;
  uint32_t bytes = 0;
  uint32_t interface = 0;
  Message* message = nullptr;
  // Filled in: the packet itself, in `sent`, even if its kernel sent it. Null: it was not found.
  const SentPacket* packet = nullptr;
};

struct FlowTraffic {
  bool tcp = false;
  bool ipv6 = false;
  std::vector<SentPacket> sent;
  std::vector<ReceivedPacket> received;  // datagrams: all, as they count
  std::vector<Arrival> arrivals;
};

// Each fills in the arrivals' messages and packets. The traffic may come in any order.
void MatchByBytes(FlowTraffic& flow);
void MatchByOrder(FlowTraffic& flow);

}  // namespace gordian
