// SPDX-License-Identifier: Apache-2.0
// Finds the packets that woke threads where they were sent.
//
// A packet is known by its flow (addresses and ports, as they stand in it: the same on both ends)
// and, of TCP, by the number of its first byte. Offloading cuts segments and puts them together
// again, on both ends and on the way: so the sent packet is the one handed to an interface with
// that byte anywhere in it.
//
// - Of several packets that hold the byte, a thread's packets come before the kernel's (the kernel
//   sends lost packets again, and hands others on). Then packets of the receiving node come before
//   other nodes' (a thread's packets begin where it runs), and the latest before earlier ones.
// - No match is later than the arrival, except for the error of the clocks.
// - If only the kernel sent a packet, when an acknowledgement set it free, a thread wrote it
//   before: the thread that was last to send in that flow.
// - For a batch that a driver hands up at once, a wake names only the batch's last packet. The true
//   packet is the first of the wake's own flow in the batch, as the wait ends with that. The
//   records cannot tell whether it is another flow's.
// - Flows that differ only in addresses that the kernel replaced on the way (NAT) are one flow, if
//   a recorder saw a packet go on with other addresses.
// - Datagrams have no numbers: they are matched in order, if their sizes fit and at most
//   kLongestFlightNs went by. The match is sure only if one datagram alone was under way, or if the
//   recorder could number them, as it can on one node.
// - While any node pauses, packets are recorded on some nodes only, and nothing is matched: order
//   would be lost, and TCP's numbers may come round. So a message never crosses a pause.
#pragma once

#include <cstdint>
#include <span>

#include "analyzer/timeline/column.h"
#include "analyzer/timeline/timeline.h"
#include "nodes/clock_bounds.h"

namespace gordian {

enum class MessageFate : uint8_t {
  kMatched,
  kByKernel,       // sent by a node's kernel, and no thread wrote to that flow
  kNotSent,        // its flow was sent by a node, these bytes were not: lost records
  kOutside,        // no node sent anything in its flow
  kWithoutPacket,  // the packet is not known
};

// A wake by a packet. There may be as many as there are waits: kept small.
struct Message {
  uint32_t to_node = 0;
  EntityId receiver = kNobody;
  uint64_t woken_ns = 0;     // on the clock of to_node
  uint64_t received_ns = 0;  // likewise
  uint32_t from_node = 0;
  EntityId sender = kNobody;
  uint64_t sent_ns = 0;  // on the clock of from_node
  // The first time these bytes were sent, on the clock of first_node: the arrival certainly came
  // later. 0: not known.
  uint64_t first_sent_ns = 0;
  uint32_t first_node = 0;
  MessageFate fate = MessageFate::kWithoutPacket;
  bool tcp : 1 = false;
  bool by_last_writer : 1 = false;
  bool sure : 1 = true;  // datagrams
  // With other clocks it might be another thread's, or no thread's.
  bool depends_on_clocks : 1 = false;
  // It came in one batch with packets of other flows, any of which may have been it.
  bool in_mixed_batch : 1 = false;
};
static_assert(sizeof(Message) <= 56);

struct NodeView {
  const Timeline* timeline = nullptr;  // loaded with keep_packet_wakes
  ClockMap clock;                      // from its timeline's time to the reference's clock
  uint64_t clock_bound_ns = 0;
  const Pauses* pauses = nullptr;  // of all nodes, on the reference's clock; null: none
  uint32_t number = 0;             // what messages call it; views are in order of it
};

// One for each packet wake of each node, in order of nodes, then of time. The result does not
// depend on the number of threads.
Column<Message> MatchMessages(std::span<const NodeView> nodes, int threads);

// The same with clocks that are known better now: looks only at those that depend on them.
void MatchAgain(std::span<const NodeView> nodes, int threads, std::span<Message> messages);

// Of the node's wakes, before any flow is matched.
Column<Message> UnmatchedMessages(const NodeView& node, const ColumnMemory& memory);

}  // namespace gordian
