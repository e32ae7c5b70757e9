// SPDX-License-Identifier: Apache-2.0
#include "analyzer/flows/questions.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/flows/connections.h"
#include "analyzer/flows/local_connections.h"

namespace gordian {
namespace {

// Packets that are put in order at once. Those of a thousand nodes are then some sixty of each, a
// page or two; more would take more than a few megabytes.
constexpr size_t kMostPacketsAtOnce = 64 << 10;

// What was sent one way.
struct Way {
  EntityId sender = kNobody;  // of the last packet; kNobody: there was none yet
  uint32_t sequence = 0;
  bool is_recorded = false;  // where it was sent
};

struct Talk {
  Way to_server;
  Way to_client;
  EntityId asker = kNobody;  // whose question is open
};

// What is needed of a packet.
struct TalkPacket {
  uint64_t time_ns = 0;
  uint32_t connection = 0;
  uint32_t sequence = 0;
  uint32_t who = 0;  // the thread that sent it, or the interface that received it
  bool to_server = false;
  bool sent = false;
};

// The packets of connections, in order of time; those of one time in order of nodes, and each
// node's as they are recorded.
//
// A stretch of time is taken from one node behind the other, and then put in order by merging. A
// queue with the next packet of each node would jump to another node's pages with each packet.
class PacketsInOrder {
 public:
  PacketsInOrder(const Timeline& timeline, const TcpConnections& connections)
      : connections_(connections) {
    const auto rows = timeline.packet_rows();
    size_t packets = 0;
    for (size_t node = 0; node < std::min(rows.size(), connections.place_of_flow.size()); ++node) {
      rows_.push_back(rows[node]);
      packets += rows[node].size();
      places_.push_back({});
      if (!rows_.back().empty()) places_.back().time_ns = rows_.back().front().time_ns;
    }
    const uint64_t end_ns = std::max(timeline.start_ns(), timeline.end_ns());
    stretch_ns_ = 1 + (end_ns - timeline.start_ns()) / (1 + 2 * packets / kMostPacketsAtOnce);
  }

  // Those of the next stretch; false: there is none.
  bool Next() {
    uint64_t from_ns = UINT64_MAX;
    bool any = false;
    for (size_t node = 0; node < rows_.size(); ++node) {
      if (places_[node].index == rows_[node].size()) continue;
      any = true;
      from_ns = std::min(from_ns, places_[node].time_ns);
    }
    if (!any) return false;
    // Ends, as one nanosecond is taken whatever it holds.
    while (!Take(from_ns + std::min(stretch_ns_, UINT64_MAX - from_ns))) stretch_ns_ /= 2;
    if (packets_.size() < kMostPacketsAtOnce / 4)
      stretch_ns_ = 2 * std::min(stretch_ns_, UINT64_MAX / 2);
    Merge();
    return true;
  }
  std::span<const TalkPacket> packets() const { return packets_; }

 private:
  struct Place {
    size_t index = 0;
    uint64_t time_ns = 0;  // of that packet, but never before an earlier one
  };

  // All before `until_ns`. False: there are more than can be put in order at once.
  bool Take(uint64_t until_ns) {
    packets_.clear();
    ends_.clear();
    std::vector<Place> places = places_;
    for (size_t node = 0; node < rows_.size(); ++node) {
      TakeOfNode(node, until_ns, places[node]);
      if (packets_.size() > kMostPacketsAtOnce && stretch_ns_ > 1) return false;
      if (packets_.size() > (ends_.empty() ? 0 : ends_.back())) ends_.push_back(packets_.size());
    }
    places_ = std::move(places);
    return true;
  }

  void TakeOfNode(size_t node, uint64_t until_ns, Place& place) {
    const std::span<const PacketRecord> row = rows_[node];
    const auto& flows = connections_.place_of_flow[node];
    // Of the last moment there is, too.
    while (place.index < row.size() && (place.time_ns < until_ns || until_ns == UINT64_MAX)) {
      const PacketRecord& packet = row[place.index];
      if (const auto flow = flows.find(packet.flow_id); flow != flows.end())
        packets_.push_back({.time_ns = place.time_ns,
                            .connection = flow->second.connection,
                            .sequence = packet.sequence,
                            .who = packet.sent ? packet.thread : packet.interface,
                            .to_server = flow->second.to_server,
                            .sent = packet.sent});
      if (++place.index < row.size())
        place.time_ns = std::max(place.time_ns, row[place.index].time_ns);
      if (packets_.size() > kMostPacketsAtOnce && stretch_ns_ > 1) return;
    }
  }

  // Neighbours in pairs, until all are one.
  void Merge() {
    const auto is_before = [](const TalkPacket& a, const TalkPacket& b) {
      return a.time_ns < b.time_ns;
    };
    while (ends_.size() > 1) {
      merged_.resize(packets_.size());
      std::vector<size_t> ends;
      size_t begin = 0;
      for (size_t i = 0; i < ends_.size(); i += 2) {
        const size_t middle = ends_[i];
        const size_t end = i + 1 < ends_.size() ? ends_[i + 1] : middle;
        std::merge(packets_.begin() + static_cast<ptrdiff_t>(begin),
                   packets_.begin() + static_cast<ptrdiff_t>(middle),
                   packets_.begin() + static_cast<ptrdiff_t>(middle),
                   packets_.begin() + static_cast<ptrdiff_t>(end),
                   merged_.begin() + static_cast<ptrdiff_t>(begin), is_before);
        ends.push_back(end);
        begin = end;
      }
      packets_.swap(merged_);
      ends_ = std::move(ends);
    }
  }

  const TcpConnections& connections_;
  std::vector<std::span<const PacketRecord>> rows_;  // by node
  std::vector<Place> places_;                        // of the next packets
  uint64_t stretch_ns_ = 1;
  std::vector<TalkPacket> packets_;
  std::vector<TalkPacket> merged_;
  std::vector<size_t> ends_;  // of each node's among these
};

class QuestionFinder {
 public:
  QuestionFinder(const Timeline& timeline, std::span<const FlowTable* const> flows_of_node)
      : timeline_(timeline),
        flows_of_node_(flows_of_node),
        connections_(FindConnections(flows_of_node)),
        talks_(connections_.to_server.size()) {}

  std::vector<QuestionCount> Find() {
    PacketsInOrder in_order(timeline_, connections_);
    while (in_order.Next())
      for (const TalkPacket& packet : in_order.packets()) Take(packet);
    for (uint32_t node = 0; node < flows_of_node_.size(); ++node) TakeLocal(node);
    std::vector<QuestionCount> questions;
    questions.reserve(counts_.size());
    for (const auto& [pair, count] : counts_) questions.push_back({pair.first, pair.second, count});
    std::sort(questions.begin(), questions.end(),
              [](const QuestionCount& a, const QuestionCount& b) {
                return std::tie(a.asker, a.answerer) < std::tie(b.asker, b.answerer);
              });
    return questions;
  }

 private:
  void Take(const TalkPacket& packet) {
    Talk& talk = talks_[packet.connection];
    Way& way = packet.to_server ? talk.to_server : talk.to_client;
    way.is_recorded |= packet.sent;
    if (packet.sent ? packet.who == kNobody : way.is_recorded) return;
    const EntityId sender = packet.sent ? packet.who : InterfaceOf(packet.who);
    const bool before_had_data = way.sender != kNobody && packet.sequence != way.sequence;
    const EntityId before = std::exchange(way.sender, sender);
    way.sequence = packet.sequence;
    if (!before_had_data) return;
    if (packet.to_server) {
      talk.asker = before;
    } else if (const EntityId asker = std::exchange(talk.asker, kNobody); asker != kNobody) {
      ++counts_[{asker, before}];
    }
  }

  void TakeLocal(uint32_t node) {
    const auto rows = timeline_.local_message_rows();
    if (node >= rows.size() || rows[node].empty() || flows_of_node_[node] == nullptr) return;
    const LocalConnections found =
        FindLocalConnections(rows[node], *flows_of_node_[node], timeline_);
    EntityId asker = kNobody;
    uint32_t connection = kNoConnection;
    for (const LocalData& data : LocalDataOf(rows[node], found)) {
      if (data.place.connection != connection) asker = kNobody;
      connection = data.place.connection;
      if (data.place.to_server) {
        asker = data.thread;
      } else if (const EntityId asked_by = std::exchange(asker, kNobody);
                 asked_by != kNobody && data.thread != kNobody) {
        ++counts_[{asked_by, data.thread}];
      }
    }
  }

  EntityId InterfaceOf(uint32_t interface) {
    const auto [found, is_new] = interfaces_.try_emplace(interface, kNobody);
    if (is_new) found->second = timeline_.FindDevice(EntityKind::kNic, interface);
    return found->second;
  }

  const Timeline& timeline_;
  const std::span<const FlowTable* const> flows_of_node_;
  const TcpConnections connections_;
  std::vector<Talk> talks_;  // by connection
  absl::flat_hash_map<uint32_t, EntityId> interfaces_;
  absl::flat_hash_map<std::pair<EntityId, EntityId>, uint64_t> counts_;
};

}  // namespace

std::vector<QuestionCount> FindQuestions(const Timeline& timeline,
                                         std::span<const FlowTable* const> flows_of_node) {
  return QuestionFinder(timeline, flows_of_node).Find();
}

}  // namespace gordian
