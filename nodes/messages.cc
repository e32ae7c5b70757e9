// SPDX-License-Identifier: Apache-2.0
#include "nodes/messages.h"

#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "base/parallel.h"
#include "nodes/flow_directory.h"
#include "nodes/flow_traffic.h"
#include "nodes/thresholds.h"

namespace gordian {
namespace {

constexpr uint32_t kNoFlow = 0xffffffff;

void AddWakes(const NodeView& node, Column<Message>& messages) {
  for (const PacketWake& wake : node.timeline->packet_wakes()) {
    messages.push_back({.to_node = node.number, .receiver = wake.thread, .woken_ns = wake.time_ns});
  }
}

Message Unmatched(const Message& message) {
  return {.to_node = message.to_node,
          .receiver = message.receiver,
          .woken_ns = message.woken_ns,
          .depends_on_clocks = message.depends_on_clocks};
}

// Packets that one CPU received so shortly after each other that no delivery fits in between. A
// driver handed them up together, and their receive records stand before all of their effects.
struct Batch {
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

// The numbers of a node's flows by their ids. There are millions of packets and few flows: flows
// asked for lately are found without hashing.
class FlowNumbers {
 public:
  void Set(uint32_t id, uint32_t number) {
    numbers_[id] = number;
    Lately(id) = {.id = id, .number = number};
  }
  uint32_t Find(uint32_t id) {
    Known& lately = Lately(id);
    if (lately.id == id) return lately.number;
    const auto found = numbers_.find(id);
    lately = {.id = id, .number = found == numbers_.end() ? kNoFlow : found->second};
    return lately.number;
  }

 private:
  struct Known {
    uint32_t id = 0;  // no flow has it
    uint32_t number = kNoFlow;
  };
  static constexpr uint32_t kSpread = 0x9e3779b1;  // ids differ in their high bits or in their low
  static constexpr uint32_t kPlaceShift = 22;
  Known& Lately(uint32_t id) { return lately_[id * kSpread >> kPlaceShift]; }
  absl::flat_hash_map<uint32_t, uint32_t> numbers_;
  std::array<Known, size_t{1} << (32 - kPlaceShift)> lately_;
};

class MessageMatcher {
 public:
  // `messages` stand for all wakes, in their order. Without chosen flows all are matched.
  MessageMatcher(std::span<const NodeView> nodes, const ChosenFlows& chosen,
                 std::span<Message> messages, const ColumnMemory& memory)
      : nodes_(nodes),
        chosen_(chosen),
        messages_(messages),
        memory_(memory),
        flow_of_id_(nodes.size()) {
    for (const NodeView& node : nodes)
      widest_bound_ns_ = std::max(widest_bound_ns_, node.clock_bound_ns);
    NumberFlows();
    if (flows_.empty()) return;
    MakeRoomForArrivals();
    TakeArrivals();
    CountPackets();
    for (uint32_t node = 0; node < nodes.size(); ++node) TakePackets(node);
  }

  void Run(int threads) {
    const int workers = ThreadCount(threads);
    std::vector<ByteNotes> notes;
    notes.reserve(static_cast<size_t>(workers));
    for (int worker = 0; worker < workers; ++worker) notes.emplace_back(memory_);
    ParallelFor(workers, flows_.size(), [&](size_t i, int worker) {
      FlowTraffic& flow = flows_[i];
      for (const Arrival& arrival : flow.arrivals) {
        arrival.message->tcp = flow.tcp;
        arrival.message->fate = MessageFate::kOutside;
        arrival.message->depends_on_clocks = false;
      }
      if (flow.sent.empty()) return;
      flow.tcp ? MatchByBytes(flow, notes[static_cast<size_t>(worker)]) : MatchByOrder(flow);
      for (const Arrival& arrival : flow.arrivals) ForgetIfAcrossPause(arrival);
    });
  }

 private:
  bool IsWanted(const Message& message) const {
    return !chosen_.again || message.depends_on_clocks;
  }

  const NodeView& ViewOf(uint32_t node) const {
    return *std::partition_point(nodes_.begin(), nodes_.end(),
                                 [&](const NodeView& view) { return view.number < node; });
  }

  static bool IsInPause(const NodeView& view, uint64_t reference_ns) {
    return view.pauses != nullptr && view.pauses->Holds(reference_ns);
  }

  // Sent before a pause and received behind it: it stayed somewhere for longer than any message, or
  // it is another one with the same number.
  void ForgetIfAcrossPause(const Arrival& arrival) const {
    Message& message = *arrival.message;
    const bool is_found =
        message.fate == MessageFate::kMatched || message.fate == MessageFate::kByKernel;
    if (!is_found) return;
    const NodeView& from = ViewOf(message.from_node);
    if (from.pauses == nullptr || from.pauses->empty()) return;
    const uint64_t sent_ns = from.clock.ToReference(message.sent_ns);
    if (from.pauses->NextPause(from.pauses->RecordedTime(sent_ns), Pauses::kNever) ==
        from.pauses->NextPause(from.pauses->RecordedTime(arrival.time_ns), Pauses::kNever))
      return;
    const Message forgotten = message;
    message = Unmatched(forgotten);
    message.received_ns = forgotten.received_ns;
    message.tcp = forgotten.tcp;
    message.fate = MessageFate::kNotSent;
  }

  // Only flows in which a packet woke a thread matter.
  void NumberFlows() {
    std::vector<const FlowTable*> tables;
    tables.reserve(nodes_.size());
    for (const NodeView& node : nodes_) tables.push_back(&node.timeline->flows());
    const SameFlows same(tables);
    absl::flat_hash_map<FlowKey, uint32_t> numbers;
    for (const uint32_t id : chosen_.flow_ids) NumberFlow(chosen_.view, id, same, numbers);
    size_t index = 0;
    for (size_t node = 0; node < nodes_.size(); ++node) {
      for (const PacketWake& wake : nodes_[node].timeline->packet_wakes()) {
        if (!IsWanted(messages_[index++])) continue;
        uint32_t number = flow_of_id_[node].Find(wake.flow_id);
        if (number == kNoFlow && chosen_.flow_ids.empty())
          number = NumberFlow(node, wake.flow_id, same, numbers);
        if (number != kNoFlow) ++counts_[number].arrivals;
      }
    }
    // A flow that was forgotten and came back has several ids.
    for (size_t node = 0; node < nodes_.size(); ++node) {
      for (const auto& [id, record] : nodes_[node].timeline->flows()) {
        const auto number = numbers.find(same.NameOf(KeyOf(record)));
        if (number != numbers.end()) flow_of_id_[node].Set(id, number->second);
      }
    }
  }

  uint32_t NumberFlow(size_t node, uint32_t id, const SameFlows& same,
                      absl::flat_hash_map<FlowKey, uint32_t>& numbers) {
    const FlowTable& flows = nodes_[node].timeline->flows();
    const auto record = flows.find(id);
    if (record == flows.end()) return kNoFlow;
    const auto [place, is_new] = numbers.try_emplace(same.NameOf(KeyOf(record->second)),
                                                     static_cast<uint32_t>(flows_.size()));
    if (is_new) {
      counts_.emplace_back();
      flows_.emplace_back();
      flows_.back().tcp = record->second.protocol == IPPROTO_TCP;
      flows_.back().ipv6 = record->second.family == FlowFamily::kIpv6;
      any_datagrams_ |= !flows_.back().tcp;
    }
    flow_of_id_[node].Set(id, place->second);
    return place->second;
  }

  uint32_t FlowOf(uint32_t node, uint32_t flow_id) { return flow_of_id_[node].Find(flow_id); }

  // At most one for each wake in the flow.
  void MakeRoomForArrivals() {
    size_t all = 0;
    for (const FlowCounts& counts : counts_) all += counts.arrivals;
    std::span<Arrival> room = memory_.Make<Arrival>(all);
    for (size_t flow = 0; flow < flows_.size(); ++flow)
      flows_[flow].arrivals = TakeRoom(counts_[flow].arrivals, room);
  }

  // The first `count` of the room that is left; they are filled from the first on.
  template <typename Row>
  static std::span<Row> TakeRoom(size_t count, std::span<Row>& room) {
    const std::span<Row> taken = room.first(count);
    room = room.subspan(count);
    return taken.first(0);
  }
  // In the room behind the rows that are there.
  template <typename Row>
  static void Put(const Row& row, std::span<Row>& rows) {
    rows = {rows.data(), rows.size() + 1};
    std::construct_at(&rows.back(), row);
  }

  // Calls use(flow's number, packet) for packets of the node that matter.
  template <typename Use>
  void ForEachPacketOf(uint32_t node, Use use) {
    for (const PacketRecord& packet : nodes_[node].timeline->packet_rows().front()) {
      if (!packet.sent && !any_datagrams_) continue;
      const uint32_t number = FlowOf(node, packet.flow_id);
      if (number == kNoFlow) continue;
      const FlowTraffic& flow = flows_[number];
      if (!flow.arrivals.empty() && (packet.sent || !flow.tcp)) use(number, packet);
    }
  }

  void CountPackets() {
    for (uint32_t node = 0; node < nodes_.size(); ++node)
      ForEachPacketOf(node, [&](uint32_t number, const PacketRecord& packet) {
        ++(packet.sent ? counts_[number].sent : counts_[number].received);
      });
    size_t all_sent = 0;
    size_t all_received = 0;
    for (const FlowCounts& counts : counts_) {
      all_sent += counts.sent;
      all_received += counts.received;
    }
    std::span<SentPacket> sent = memory_.Make<SentPacket>(all_sent);
    std::span<ReceivedPacket> received = memory_.Make<ReceivedPacket>(all_received);
    for (size_t flow = 0; flow < flows_.size(); ++flow) {
      flows_[flow].sent = TakeRoom(counts_[flow].sent, sent);
      flows_[flow].received = TakeRoom(counts_[flow].received, received);
    }
  }

  // The packet behind a wake is the latest that came in on its CPU, if that is of its flow. In a
  // batch that woke no thread yet, it is the first of that flow.
  void TakeArrivals() {
    size_t index = 0;
    for (uint32_t node = 0; node < nodes_.size(); ++node) {
      const NodeView& view = nodes_[node];
      const std::span<const PacketRecord> packets = view.timeline->packet_rows().front();
      std::vector<Batch> batch_on_cpu;
      size_t next = 0;
      size_t cursor = 0;
      uint64_t resumed_ns = view.timeline->pauses().NextResume(view.timeline->start_ns());
      // A packet before a pause is behind no wake that comes after it.
      const auto forget_before_pause = [&](uint64_t time_ns) {
        if (time_ns < resumed_ns) return;
        batch_on_cpu.clear();
        resumed_ns = view.timeline->pauses().NextResume(time_ns);
      };
      for (const PacketWake& wake : view.timeline->packet_wakes()) {
        Message& message = messages_[index++];
        for (; next < packets.size() && packets[next].time_ns <= wake.time_ns; ++next) {
          const PacketRecord& packet = packets[next];
          forget_before_pause(packet.time_ns);
          if (packet.sent) continue;
          if (packet.cpu >= batch_on_cpu.size()) batch_on_cpu.resize(packet.cpu + size_t{1});
          batch_on_cpu[packet.cpu].Take(packet);
        }
        forget_before_pause(wake.time_ns);
        if (wake.cpu >= batch_on_cpu.size() || batch_on_cpu[wake.cpu].packets.empty()) {
          if (IsWanted(message)) message = Unmatched(message);
          continue;
        }
        Batch& batch = batch_on_cpu[wake.cpu];
        const bool is_first = !std::exchange(batch.woke, true);
        const uint32_t flow = FlowOf(node, wake.flow_id);
        if (flow == kNoFlow || !IsWanted(message)) continue;
        message = Unmatched(message);
        if (!IsOf(node, flow, *batch.packets.back(), wake.flow_id)) continue;
        const PacketRecord* packet = batch.packets.back();
        for (size_t i = batch.packets.size() - 1; i-- > 0;) {
          if (!IsOf(node, flow, *batch.packets[i], wake.flow_id)) {
            message.in_mixed_batch = true;
          } else if (is_first) {
            packet = batch.packets[i];
          }
        }
        message.received_ns = packet->time_ns;
        const uint64_t time_ns = view.clock.ToReference(packet->time_ns, cursor);
        if (IsInPause(view, time_ns)) continue;
        Put({.time_ns = time_ns,
             .latest_ns = time_ns + view.clock_bound_ns + widest_bound_ns_,
             .sequence = packet->sequence,
             .bytes = packet->bytes,
             .interface = packet->interface,
             .message = &message},
            flows_[flow].arrivals);
      }
    }
  }

  // A flow may have several ids.
  bool IsOf(uint32_t node, uint32_t flow, const PacketRecord& packet, uint32_t flow_id) {
    return packet.flow_id == flow_id || FlowOf(node, packet.flow_id) == flow;
  }

  void TakePackets(uint32_t node) {
    const NodeView& view = nodes_[node];
    size_t cursor = 0;
    ForEachPacketOf(node, [&](uint32_t number, const PacketRecord& packet) {
      FlowTraffic& flow = flows_[number];
      const uint64_t time_ns = view.clock.ToReference(packet.time_ns, cursor);
      if (IsInPause(view, time_ns)) return;
      if (packet.sent) {
        Put({.time_ns = time_ns,
             .node_time_ns = packet.time_ns,
             .thread = packet.thread,
             .node = view.number,
             .sequence = packet.sequence,
             .bytes = packet.bytes,
             .interface = packet.interface},
            flow.sent);
      } else {
        Put({.time_ns = time_ns,
             .node_time_ns = packet.time_ns,
             .node = view.number,
             .sequence = packet.sequence,
             .interface = packet.interface,
             .bytes = packet.bytes},
            flow.received);
      }
    });
  }

  struct FlowCounts {
    size_t arrivals = 0;  // at most
    size_t sent = 0;
    size_t received = 0;
  };

  std::span<const NodeView> nodes_;
  const ChosenFlows chosen_;
  const std::span<Message> messages_;  // arrivals point into it
  ColumnMemory memory_;
  uint64_t widest_bound_ns_ = 0;
  bool any_datagrams_ = false;
  std::vector<FlowNumbers> flow_of_id_;  // by node
  std::vector<FlowTraffic> flows_;
  std::vector<FlowCounts> counts_;  // by flow
};

}  // namespace

Column<Message> MatchMessages(std::span<const NodeView> nodes, int threads) {
  Column<Message> messages;
  for (const NodeView& node : nodes) AddWakes(node, messages);
  MessageMatcher(nodes, {}, {messages.begin(), messages.end()}, {}).Run(threads);
  return messages;
}

void MatchAgain(std::span<const NodeView> nodes, int threads, std::span<Message> messages) {
  MessageMatcher(nodes, {.again = true}, messages, {}).Run(threads);
}

Column<Message> UnmatchedMessages(const NodeView& node, const ColumnMemory& memory) {
  Column<Message> messages(memory);
  AddWakes(node, messages);
  return messages;
}

void MatchFlows(std::span<const NodeView> nodes, int threads, const ChosenFlows& chosen,
                std::span<Message> messages, const ColumnMemory& memory) {
  if (chosen.flow_ids.empty()) return;
  MessageMatcher(nodes, chosen, messages, memory).Run(threads);
}

}  // namespace gordian
