// SPDX-License-Identifier: Apache-2.0
// The packets of one flow that tell which thread woke which, on one clock.
#pragma once

#include <cstdint>
#include <span>

#include "analyzer/timeline/column.h"
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

// Its rows lie in the memory of whoever matches; they may be put in another order.
struct FlowTraffic {
  bool tcp = false;
  bool ipv6 = false;
  std::span<SentPacket> sent;
  std::span<ReceivedPacket> received;  // datagrams: all, as they count
  std::span<Arrival> arrivals;
};

// Sequence numbers wrap around after 4 GiB; counted on from the first they do not.
struct NumberedPacket {
  int64_t number = 0;
  uint64_t time_ns = 0;
  uint32_t index = 0;  // into `sent`
};

// What matching by bytes notes of a flow: used for one after the other, as a flow may be long.
struct ByteNotes {
  ByteNotes() = default;
  explicit ByteNotes(const ColumnMemory& memory)
      : numbers(memory), last_writer(memory), by_number(memory) {}

  Column<int64_t> numbers;       // by place in `sent`
  Column<uint32_t> last_writer;  // likewise: the latest packet until then that a thread sent
  Column<NumberedPacket> by_number;
};

// A packet that was recorded while any node paused counts for nothing.
inline bool IsInPause(const NodeView& view, uint64_t reference_ns) {
  return view.pauses != nullptr && view.pauses->Holds(reference_ns);
}

// By bytes or in order, as its kind is. `nodes`: in order of their numbers, all that sent in it.
void MatchFlow(std::span<const NodeView> nodes, FlowTraffic& flow, ByteNotes& notes);

// Each fills in the arrivals' messages and packets. The traffic may come in any order.
void MatchByBytes(FlowTraffic& flow, ByteNotes& notes);
void MatchByOrder(FlowTraffic& flow);

}  // namespace gordian
