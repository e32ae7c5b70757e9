// SPDX-License-Identifier: Apache-2.0
#include "nodes/messages.h"

#include <netinet/in.h>

#include <algorithm>
#include <memory>

#include "absl/container/flat_hash_map.h"
#include "base/parallel.h"
#include "nodes/flow_directory.h"
#include "nodes/flow_rows.h"
#include "nodes/flow_traffic.h"
#include "nodes/packet_arrivals.h"

namespace gordian {
namespace {

void AddWakes(const NodeView& node, Column<Message>& messages) {
  for (const PacketWake& wake : node.timeline->packet_wakes()) {
    messages.push_back({.to_node = node.number, .receiver = wake.thread, .woken_ns = wake.time_ns});
  }
}

const NodeView& ViewOf(std::span<const NodeView> nodes, uint32_t number) {
  return *std::partition_point(nodes.begin(), nodes.end(),
                               [&](const NodeView& view) { return view.number < number; });
}

// Sent before a pause and received behind it: it stayed somewhere for longer than any message, or
// it is another one with the same number.
void ForgetIfAcrossPause(std::span<const NodeView> nodes, const Arrival& arrival) {
  Message& message = *arrival.message;
  const bool is_found =
      message.fate == MessageFate::kMatched || message.fate == MessageFate::kByKernel;
  if (!is_found) return;
  const NodeView& from = ViewOf(nodes, message.from_node);
  if (from.pauses == nullptr || from.pauses->empty()) return;
  const uint64_t sent_ns = from.clock.ToReference(message.sent_ns);
  if (from.pauses->NextPause(from.pauses->RecordedTime(sent_ns), Pauses::kNever) ==
      from.pauses->NextPause(from.pauses->RecordedTime(arrival.time_ns), Pauses::kNever))
    return;
  const Message forgotten = message;
  message = UnmatchedMessage(forgotten);
  message.received_ns = forgotten.received_ns;
  message.tcp = forgotten.tcp;
  message.fate = MessageFate::kNotSent;
}

class MessageMatcher {
 public:
  // `messages` stand for all wakes, in their order. `again`: only those that depend on clocks.
  MessageMatcher(std::span<const NodeView> nodes, bool again, std::span<Message> messages)
      : nodes_(nodes), again_(again), messages_(messages), flow_of_id_(nodes.size()) {
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
    std::vector<ByteNotes> notes(static_cast<size_t>(workers));
    ParallelFor(workers, flows_.size(), [&](size_t i, int worker) {
      MatchFlow(nodes_, flows_[i], notes[static_cast<size_t>(worker)]);
    });
  }

 private:
  bool IsWanted(const Message& message) const { return !again_ || message.depends_on_clocks; }

  // Only flows in which a packet woke a thread matter.
  void NumberFlows() {
    std::vector<const FlowTable*> tables;
    tables.reserve(nodes_.size());
    for (const NodeView& node : nodes_) tables.push_back(&node.timeline->flows());
    const SameFlows same(tables);
    absl::flat_hash_map<FlowKey, uint32_t> numbers;
    size_t index = 0;
    for (size_t node = 0; node < nodes_.size(); ++node) {
      for (const PacketWake& wake : nodes_[node].timeline->packet_wakes()) {
        if (!IsWanted(messages_[index++])) continue;
        uint32_t number = flow_of_id_[node].Find(wake.flow_id);
        if (number == FlowNumbers::kNone) number = NumberFlow(node, wake.flow_id, same, numbers);
        if (number != FlowNumbers::kNone) ++counts_[number].arrivals;
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
    if (record == flows.end()) return FlowNumbers::kNone;
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

  // Calls use(flow's number, packet) for packets of the node that matter.
  template <typename Use>
  void ForEachPacketOf(uint32_t node, Use use) {
    for (const PacketRecord& packet : nodes_[node].timeline->packet_rows().front()) {
      if (!packet.sent && !any_datagrams_) continue;
      const uint32_t number = FlowOf(node, packet.flow_id);
      if (number == FlowNumbers::kNone) continue;
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

  void TakeArrivals() {
    std::span<Message> messages = messages_;
    for (size_t node = 0; node < nodes_.size(); ++node) {
      const NodeView& view = nodes_[node];
      ForEachArrival(
          view, widest_bound_ns_, flow_of_id_[node], messages,
          [this](const Message& message) { return IsWanted(message); },
          [this](size_t, uint32_t flow, const Arrival& arrival) {
            PutRow(arrival, flows_[flow].arrivals);
          });
      messages = messages.subspan(view.timeline->packet_wakes().size());
    }
  }

  void TakePackets(uint32_t node) {
    const NodeView& view = nodes_[node];
    size_t cursor = 0;
    ForEachPacketOf(node, [&](uint32_t number, const PacketRecord& packet) {
      FlowTraffic& flow = flows_[number];
      const uint64_t time_ns = view.clock.ToReference(packet.time_ns, cursor);
      if (IsInPause(view, time_ns)) return;
      if (packet.sent) {
        PutRow({.time_ns = time_ns,
                .node_time_ns = packet.time_ns,
                .thread = packet.thread,
                .node = view.number,
                .sequence = packet.sequence,
                .bytes = packet.bytes,
                .interface = packet.interface},
               flow.sent);
      } else {
        PutRow({.time_ns = time_ns,
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
  const bool again_;
  const std::span<Message> messages_;  // arrivals point into it
  ColumnMemory memory_;
  uint64_t widest_bound_ns_ = 0;
  bool any_datagrams_ = false;
  std::vector<FlowNumbers> flow_of_id_;  // by node
  std::vector<FlowTraffic> flows_;
  std::vector<FlowCounts> counts_;  // by flow
};

}  // namespace

void MatchFlow(std::span<const NodeView> nodes, FlowTraffic& flow, ByteNotes& notes) {
  for (const Arrival& arrival : flow.arrivals) {
    arrival.message->tcp = flow.tcp;
    arrival.message->fate = MessageFate::kOutside;
    arrival.message->depends_on_clocks = false;
  }
  if (flow.sent.empty()) return;
  flow.tcp ? MatchByBytes(flow, notes) : MatchByOrder(flow);
  for (const Arrival& arrival : flow.arrivals) ForgetIfAcrossPause(nodes, arrival);
}

Column<Message> MatchMessages(std::span<const NodeView> nodes, int threads) {
  Column<Message> messages;
  for (const NodeView& node : nodes) AddWakes(node, messages);
  MessageMatcher(nodes, /*again=*/false, {messages.begin(), messages.end()}).Run(threads);
  return messages;
}

void MatchAgain(std::span<const NodeView> nodes, int threads, std::span<Message> messages) {
  MessageMatcher(nodes, /*again=*/true, messages).Run(threads);
}

Column<Message> UnmatchedMessages(const NodeView& node, const ColumnMemory& memory) {
  Column<Message> messages(memory);
  AddWakes(node, messages);
  return messages;
}

}  // namespace gordian
