// SPDX-License-Identifier: Apache-2.0
// The packets behind a node's packet wakes. Inner to joining: one process and many ranks (mpi/)
// share it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "nodes/flow_traffic.h"
#include "nodes/thresholds.h"

namespace gordian {

// The numbers of a node's flows by their ids. There are millions of packets and few flows: flows
// asked for lately are found without hashing.
class FlowNumbers {
 public:
  static constexpr uint32_t kNone = 0xffffffff;

  void Set(uint32_t id, uint32_t number) {
    numbers_[id] = number;
    Lately(id) = {.id = id, .number = number};
  }
  uint32_t Find(uint32_t id) {
    Known& lately = Lately(id);
    if (lately.id == id) return lately.number;
    const auto found = numbers_.find(id);
    lately = {.id = id, .number = found == numbers_.end() ? kNone : found->second};
    return lately.number;
  }

 private:
  struct Known {
    uint32_t id = 0;  // no flow has it
    uint32_t number = kNone;
  };
  static constexpr uint32_t kSpread = 0x9e3779b1;  // ids differ in their high bits or in their low
  static constexpr uint32_t kPlaceShift = 22;
  Known& Lately(uint32_t id) { return lately_[id * kSpread >> kPlaceShift]; }
  absl::flat_hash_map<uint32_t, uint32_t> numbers_;
  std::array<Known, size_t{1} << (32 - kPlaceShift)> lately_;
};

// Packets that one CPU received so shortly after each other that no delivery fits in between. A
// driver handed them up together, and their receive records stand before all of their effects.
struct PacketBatch {
  std::vector<const PacketRecord*> packets;
  bool woke = false;  // then its delivery has begun: a packet received now is of another batch

  void Take(const PacketRecord& packet) {
    if (woke || packets.empty() || packet.time_ns - packets.back()->time_ns > kLongestBatchGapNs) {
      packets.clear();
      woke = false;
    }
    packets.push_back(&packet);
  }
};

// The message of a wake whose packet was not found.
inline Message UnmatchedMessage(const Message& message) {
  return {.to_node = message.to_node,
          .receiver = message.receiver,
          .woken_ns = message.woken_ns,
          .depends_on_clocks = message.depends_on_clocks};
}

// Calls use(index of the wake, number of its flow, arrival) for each wake in a numbered flow whose
// packet is there, in order of time. `messages`, one for each wake of the node, say of which packet
// they are from then on; those that is_wanted(message) rejects stay as they are.
//
// The packet behind a wake is the latest that came in on its CPU, if that is of its flow. In a
// batch that woke no thread yet, it is the first of that flow.
template <typename IsWanted, typename Use>
void ForEachArrival(const NodeView& view, uint64_t widest_bound_ns, FlowNumbers& flows,
                    std::span<Message> messages, IsWanted is_wanted, Use use) {
  const std::span<const PacketRecord> packets = view.timeline->packet_rows().front();
  std::vector<PacketBatch> batch_on_cpu;
  size_t next = 0;
  size_t cursor = 0;
  size_t index = 0;
  uint64_t resumed_ns = view.timeline->pauses().NextResume(view.timeline->start_ns());
  // A packet before a pause is behind no wake that comes after it.
  const auto forget_before_pause = [&](uint64_t time_ns) {
    if (time_ns < resumed_ns) return;
    batch_on_cpu.clear();
    resumed_ns = view.timeline->pauses().NextResume(time_ns);
  };
  for (const PacketWake& wake : view.timeline->packet_wakes()) {
    const size_t own_index = index++;
    Message& message = messages[own_index];
    for (; next < packets.size() && packets[next].time_ns <= wake.time_ns; ++next) {
      const PacketRecord& packet = packets[next];
      forget_before_pause(packet.time_ns);
      if (packet.sent) continue;
      if (packet.cpu >= batch_on_cpu.size()) batch_on_cpu.resize(packet.cpu + size_t{1});
      batch_on_cpu[packet.cpu].Take(packet);
    }
    forget_before_pause(wake.time_ns);
    if (wake.cpu >= batch_on_cpu.size() || batch_on_cpu[wake.cpu].packets.empty()) {
      if (is_wanted(message)) message = UnmatchedMessage(message);
      continue;
    }
    PacketBatch& batch = batch_on_cpu[wake.cpu];
    const bool is_first = !std::exchange(batch.woke, true);
    const uint32_t flow = flows.Find(wake.flow_id);
    if (flow == FlowNumbers::kNone || !is_wanted(message)) continue;
    message = UnmatchedMessage(message);
    // A flow may have several ids.
    const auto is_of_flow = [&](const PacketRecord& packet) {
      return packet.flow_id == wake.flow_id || flows.Find(packet.flow_id) == flow;
    };
    if (!is_of_flow(*batch.packets.back())) continue;
    const PacketRecord* packet = batch.packets.back();
    for (size_t i = batch.packets.size() - 1; i-- > 0;) {
      if (!is_of_flow(*batch.packets[i])) {
        message.in_mixed_batch = true;
      } else if (is_first) {
        packet = batch.packets[i];
      }
    }
    message.received_ns = packet->time_ns;
    const uint64_t time_ns = view.clock.ToReference(packet->time_ns, cursor);
    if (IsInPause(view, time_ns)) continue;
    use(own_index, flow,
        Arrival{.time_ns = time_ns,
                .latest_ns = time_ns + view.clock_bound_ns + widest_bound_ns,
                .sequence = packet->sequence,
                .bytes = packet->bytes,
                .interface = packet->interface,
                .message = &message});
  }
}

}  // namespace gordian
