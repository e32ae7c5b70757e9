// SPDX-License-Identifier: Apache-2.0
#include "mpi/match_node.h"

#include <netinet/in.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "analysis/recording.h"
#include "base/parallel.h"
#include "nodes/flow_rows.h"
#include "nodes/flow_traffic.h"
#include "nodes/packet_arrivals.h"

namespace gordian {
namespace {

// Of the columns' memory for a batch. A quarter is plain, and the other half of that is for one
// flow at a time.
constexpr uint64_t kShareOfBatch = 8;

// A flow in which a packet woke a thread, by whichever ids.
struct WokenFlow {
  std::span<const FlowDirectory::Place> places;
  bool tcp = false;
  bool ipv6 = false;
  size_t wakes = 0;
  size_t received = 0;  // datagrams
  size_t batch = 0;
};

// A wake whose packet is known.
struct NotedWake {
  Message message;
  uint64_t time_ns = 0;  // of the packet, on the reference's clock
  size_t index = 0;      // among the node's wakes
  uint32_t flow = 0;
  uint32_t sequence = 0;
  uint32_t bytes = 0;
  uint32_t interface = 0;
};

struct NotedDatagram {
  ReceivedPacket packet;
  uint32_t flow = 0;
};

// Of flows that follow each other. Rows are in order of time.
struct FlowBatch {
  size_t first_flow = 0;
  size_t end_flow = 0;
  std::span<NotedWake> wakes;
  std::span<NotedDatagram> datagrams;
};

class WakesOfNode {
 public:
  WakesOfNode(const NodeToMatch& node, bool again) : node_(node), again_(again) {}

  void Match(std::span<Message> messages) {
    FindFlows(messages);
    if (flows_.empty()) return;
    MakeBatches();
    NoteWakes(messages);
    NoteDatagrams();
    MatchBatches();
    TakeMessages(messages);
  }

 private:
  // While its batch is matched.
  static size_t BytesOf(const WokenFlow& flow) {
    return flow.wakes * (sizeof(NotedWake) + sizeof(Arrival)) +
           flow.received * sizeof(ReceivedPacket);
  }
  bool IsWanted(const Message& message) const { return !again_ || message.depends_on_clocks; }
  std::span<const PacketRecord> packets() const { return node_.timeline.packet_rows().front(); }

  void FindFlows(std::span<const Message> messages) {
    absl::flat_hash_map<uint32_t, size_t> wakes_of_id;
    size_t index = 0;
    for (const PacketWake& wake : node_.timeline.packet_wakes())
      if (IsWanted(messages[index++])) ++wakes_of_id[wake.flow_id];
    std::vector<uint32_t> ids;
    for (const auto& [id, wakes] : wakes_of_id)
      if (node_.timeline.flows().contains(id)) ids.push_back(id);
    std::sort(ids.begin(), ids.end());
    std::set<uint32_t> senders = {node_.number};
    for (const uint32_t id : ids) {
      if (numbers_.Find(id) == FlowNumbers::kNone) AddFlow(node_.timeline.flows().at(id), senders);
    }
    for (const auto& [id, wakes] : wakes_of_id) {
      const uint32_t number = numbers_.Find(id);
      if (number != FlowNumbers::kNone) flows_[number].wakes += wakes;
    }
    for (const uint32_t number : senders) views_.push_back(ViewOf(number));
    if (any_datagrams_) CountDatagrams();
  }

  // It may have several ids on this node.
  void AddFlow(const FlowRecord& record, std::set<uint32_t>& senders) {
    const auto places = node_.senders.directory->PlacesOf(record);
    const auto number = static_cast<uint32_t>(flows_.size());
    for (const FlowDirectory::Place& place : places) {
      senders.insert(place.node);
      if (place.node == node_.number) numbers_.Set(place.flow_id, number);
    }
    flows_.push_back({.places = places,
                      .tcp = record.protocol == IPPROTO_TCP,
                      .ipv6 = record.family == FlowFamily::kIpv6});
    any_datagrams_ |= !flows_.back().tcp;
  }

  NodeView ViewOf(uint32_t number) const {
    const PlannedNode& planned = node_.plan.joining.nodes[number];
    return {.timeline = &node_.timeline,  // of its own view; nobody asks the others for theirs
            .clock = planned.to_reference,
            .clock_bound_ns = planned.clock_bound_ns,
            .pauses = &node_.plan.pauses,
            .number = number};
  }
  const NodeView& KnownViewOf(uint32_t number) const {
    return *std::partition_point(views_.begin(), views_.end(),
                                 [&](const NodeView& view) { return view.number < number; });
  }

  // Calls use(flow's number, packet).
  template <typename Use>
  void ForEachDatagram(Use use) {
    for (const PacketRecord& packet : packets()) {
      if (packet.sent) continue;
      const uint32_t number = numbers_.Find(packet.flow_id);
      if (number != FlowNumbers::kNone && !flows_[number].tcp) use(number, packet);
    }
  }
  void CountDatagrams() {
    ForEachDatagram([this](uint32_t number, const PacketRecord&) { ++flows_[number].received; });
  }

  void MakeBatches() {
    size_t bytes = 0;
    size_t wakes = 0;
    size_t datagrams = 0;
    for (size_t i = 0; i < flows_.size(); ++i) {
      WokenFlow& flow = flows_[i];
      if (batches_.empty() || bytes + BytesOf(flow) > node_.memory.bytes / kShareOfBatch) {
        batches_.push_back({.first_flow = i});
        bytes = 0;
      }
      bytes += BytesOf(flow);
      batches_.back().end_flow = i + 1;
      flow.batch = batches_.size() - 1;
      wakes += flow.wakes;
      datagrams += flow.received;
    }
    noted_ = ColumnsWithin(node_.memory);
    std::span<NotedWake> room = noted_.Make<NotedWake>(wakes);
    std::span<NotedDatagram> datagrams_room = noted_.Make<NotedDatagram>(datagrams);
    for (FlowBatch& batch : batches_) {
      size_t batch_wakes = 0;
      size_t batch_datagrams = 0;
      for (size_t i = batch.first_flow; i < batch.end_flow; ++i) {
        batch_wakes += flows_[i].wakes;
        batch_datagrams += flows_[i].received;
      }
      batch.wakes = TakeRoom(batch_wakes, room);
      batch.datagrams = TakeRoom(batch_datagrams, datagrams_room);
    }
  }

  // How far an arrival may be off depends on all clocks.
  void NoteWakes(std::span<Message> messages) {
    uint64_t widest_bound_ns = 0;
    for (const PlannedNode& one : node_.plan.joining.nodes)
      widest_bound_ns = std::max(widest_bound_ns, one.clock_bound_ns);
    for (WokenFlow& flow : flows_) flow.wakes = 0;  // from now on those whose packets are known
    ForEachArrival(
        KnownViewOf(node_.number), widest_bound_ns, numbers_, messages,
        [this](const Message& message) { return IsWanted(message); },
        [this](size_t index, uint32_t flow, const Arrival& arrival) {
          ++flows_[flow].wakes;
          PutRow({.message = *arrival.message,
                  .time_ns = arrival.time_ns,
                  .index = index,
                  .flow = flow,
                  .sequence = arrival.sequence,
                  .bytes = arrival.bytes,
                  .interface = arrival.interface},
                 batches_[flows_[flow].batch].wakes);
        });
    clocks_off_ns_ = KnownViewOf(node_.number).clock_bound_ns + widest_bound_ns;
  }

  void NoteDatagrams() {
    if (!any_datagrams_) return;
    const NodeView& view = KnownViewOf(node_.number);
    size_t cursor = 0;
    for (WokenFlow& flow : flows_) flow.received = 0;  // from now on those outside of pauses
    ForEachDatagram([&](uint32_t number, const PacketRecord& packet) {
      const uint64_t time_ns = view.clock.ToReference(packet.time_ns, cursor);
      if (IsInPause(view, time_ns)) return;
      ++flows_[number].received;
      PutRow({.packet = {.time_ns = time_ns,
                         .node_time_ns = packet.time_ns,
                         .node = view.number,
                         .sequence = packet.sequence,
                         .interface = packet.interface,
                         .bytes = packet.bytes},
              .flow = number},
             batches_[flows_[number].batch].datagrams);
    });
  }

  // In plain memory, as flows touch their batch's rows all over. Those of a flow that is larger
  // alone lie in files, and are touched in order of time.
  void MatchBatches() {
    const int workers = ThreadCount(node_.threads);
    ColumnMemory memory = ColumnsWithin(node_.memory);
    std::vector<ByteNotes> notes;
    std::vector<Column<SentPacket>> sent;
    for (int worker = 0; worker < workers; ++worker) {
      notes.emplace_back(memory);
      sent.emplace_back(memory);
    }
    size_t most_wakes = 0;
    size_t most_datagrams = 0;
    for (const FlowBatch& batch : batches_) {
      most_wakes = std::max(most_wakes, batch.wakes.size());
      most_datagrams = std::max(most_datagrams, batch.datagrams.size());
    }
    const std::span<NotedWake> wakes = memory.Make<NotedWake>(most_wakes);
    const std::span<Arrival> arrivals = memory.Make<Arrival>(most_wakes);
    const std::span<ReceivedPacket> received = memory.Make<ReceivedPacket>(most_datagrams);
    for (const FlowBatch& batch : batches_) {
      const std::span<NotedWake> own_wakes = wakes.first(batch.wakes.size());
      std::copy(batch.wakes.begin(), batch.wakes.end(), own_wakes.begin());
      std::vector<FlowTraffic> traffic = TrafficOf(batch, own_wakes, arrivals, received);
      ParallelFor(workers, traffic.size(), [&](size_t i, int worker) {
        const auto own = static_cast<size_t>(worker);
        if (traffic[i].arrivals.empty()) return;
        TakeSent(flows_[batch.first_flow + i], sent[own]);
        traffic[i].sent = {sent[own].begin(), sent[own].end()};
        MatchFlow(views_, traffic[i], notes[own]);
      });
      std::copy(own_wakes.begin(), own_wakes.end(), batch.wakes.begin());
    }
  }

  // Without what was sent. Its rows lie flow by flow in that room.
  std::vector<FlowTraffic> TrafficOf(const FlowBatch& batch, std::span<NotedWake> wakes,
                                     std::span<Arrival> arrivals,
                                     std::span<ReceivedPacket> received) const {
    std::vector<FlowTraffic> traffic(batch.end_flow - batch.first_flow);
    for (size_t i = 0; i < traffic.size(); ++i) {
      const WokenFlow& flow = flows_[batch.first_flow + i];
      traffic[i] = {.tcp = flow.tcp,
                    .ipv6 = flow.ipv6,
                    .received = TakeRoom(flow.received, received),
                    .arrivals = TakeRoom(flow.wakes, arrivals)};
    }
    for (NotedWake& wake : wakes)
      PutRow({.time_ns = wake.time_ns,
              .latest_ns = wake.time_ns + clocks_off_ns_,
              .sequence = wake.sequence,
              .bytes = wake.bytes,
              .interface = wake.interface,
              .message = &wake.message},
             traffic[wake.flow - batch.first_flow].arrivals);
    for (const NotedDatagram& datagram : batch.datagrams)
      PutRow(datagram.packet, traffic[datagram.flow - batch.first_flow].received);
    return traffic;
  }

  // Node by node, and in the order in which each recorded them.
  void TakeSent(const WokenFlow& flow, Column<SentPacket>& sent) const {
    sent.Clear();
    const auto is_later = [](std::span<const KeptSent> a, std::span<const KeptSent> b) {
      return a.front().place > b.front().place;
    };
    std::vector<std::span<const KeptSent>> left;  // a heap: the earliest first
    for (auto place = flow.places.begin(); place != flow.places.end();) {
      const NodeView& view = KnownViewOf(place->node);
      for (; place != flow.places.end() && place->node == view.number; ++place) {
        const auto rows = node_.senders.of_node[place->node].SentIn(place->flow_id);
        if (!rows.empty()) left.push_back(rows);
      }
      std::make_heap(left.begin(), left.end(), is_later);
      size_t cursor = 0;
      while (!left.empty()) {
        std::pop_heap(left.begin(), left.end(), is_later);
        AddSent(left.back().front(), view, cursor, sent);
        left.back() = left.back().subspan(1);
        if (left.back().empty()) {
          left.pop_back();
        } else {
          std::push_heap(left.begin(), left.end(), is_later);
        }
      }
    }
  }

  static void AddSent(const KeptSent& packet, const NodeView& view, size_t& cursor,
                      Column<SentPacket>& sent) {
    const uint64_t time_ns = view.clock.ToReference(packet.time_ns, cursor);
    if (IsInPause(view, time_ns)) return;
    sent.push_back({.time_ns = time_ns,
                    .node_time_ns = packet.time_ns,
                    .thread = packet.thread,
                    .node = view.number,
                    .sequence = packet.sequence,
                    .bytes = packet.bytes,
                    .interface = packet.interface});
  }

  void TakeMessages(std::span<Message> messages) {
    size_t index = 0;
    for (const PacketWake& wake : node_.timeline.packet_wakes()) {
      const size_t own_index = index++;
      const uint32_t flow = numbers_.Find(wake.flow_id);
      if (flow == FlowNumbers::kNone) continue;
      std::span<NotedWake>& noted = batches_[flows_[flow].batch].wakes;
      if (noted.empty() || noted.front().index != own_index) continue;
      messages[own_index] = noted.front().message;
      noted = noted.subspan(1);
    }
  }

  const NodeToMatch& node_;
  const bool again_;
  std::vector<WokenFlow> flows_;
  FlowNumbers numbers_;  // of the node's flows
  bool any_datagrams_ = false;
  std::vector<NodeView> views_;  // of all that know its flows
  std::vector<FlowBatch> batches_;
  ColumnMemory noted_;  // where their rows lie
  uint64_t clocks_off_ns_ = 0;
};

}  // namespace

std::map<uint32_t, std::vector<uint32_t>> SameFlowsOf(const Timeline& timeline,
                                                      std::span<const uint32_t> flow_ids,
                                                      const FlowDirectory& directory) {
  std::map<uint32_t, std::vector<uint32_t>> of_node;
  for (const uint32_t id : flow_ids) {
    const auto flow = timeline.flows().find(id);
    if (flow == timeline.flows().end()) continue;
    for (const FlowDirectory::Place& place : directory.PlacesOf(flow->second))
      of_node[place.node].push_back(place.flow_id);
  }
  for (auto& [node, ids] : of_node) {
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  }
  return of_node;
}

Column<Message> MatchNode(const NodeToMatch& node, const ColumnMemory& columns) {
  const NodeView view{.timeline = &node.timeline, .number = node.number};
  Column<Message> messages = UnmatchedMessages(view, columns);
  WakesOfNode(node, /*again=*/false).Match({messages.begin(), messages.end()});
  return messages;
}

void MatchNodeAgain(const NodeToMatch& node, std::span<Message> messages) {
  WakesOfNode(node, /*again=*/true).Match(messages);
}

}  // namespace gordian
