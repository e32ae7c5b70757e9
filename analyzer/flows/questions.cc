// SPDX-License-Identifier: Apache-2.0
#include "analyzer/flows/questions.h"

#include <algorithm>
#include <array>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "analyzer/flows/connections.h"
#include "analyzer/flows/local_connections.h"

namespace gordian {
namespace {

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

class QuestionFinder {
 public:
  QuestionFinder(const Timeline& timeline, std::span<const FlowTable* const> flows_of_node)
      : timeline_(timeline),
        flows_of_node_(flows_of_node),
        connections_(FindConnections(flows_of_node)),
        talks_(connections_.to_server.size()) {}

  std::vector<QuestionCount> Find() {
    ForEachPacket([this](uint32_t node, const PacketRecord& packet) { Take(node, packet); });
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
  // In order of time; those of one time in order of nodes.
  template <typename Use>
  void ForEachPacket(Use use) const {
    struct Next {
      uint64_t time_ns = 0;
      uint32_t node = 0;
      size_t index = 0;
      bool operator>(const Next& other) const {
        return std::tie(time_ns, node) > std::tie(other.time_ns, other.node);
      }
    };
    const auto rows = timeline_.packet_rows();
    const size_t nodes = std::min(rows.size(), connections_.place_of_flow.size());
    std::priority_queue<Next, std::vector<Next>, std::greater<>> queue;
    for (uint32_t node = 0; node < nodes; ++node) {
      if (!rows[node].empty()) queue.push({rows[node][0].time_ns, node, 0});
    }
    while (!queue.empty()) {
      Next next = queue.top();
      queue.pop();
      const std::span<const PacketRecord> row = rows[next.node];
      const uint64_t until_ns = queue.empty() ? UINT64_MAX : queue.top().time_ns;
      do {
        use(next.node, row[next.index++]);
      } while (next.index < row.size() && row[next.index].time_ns < until_ns);
      if (next.index == row.size()) continue;
      next.time_ns = row[next.index].time_ns;
      queue.push(next);
    }
  }

  void Take(uint32_t node, const PacketRecord& packet) {
    const auto& places = connections_.place_of_flow[node];
    const auto place = places.find(packet.flow_id);
    if (place == places.end()) return;
    Talk& talk = talks_[place->second.connection];
    const bool to_server = place->second.to_server;
    Way& way = to_server ? talk.to_server : talk.to_client;
    way.is_recorded |= packet.sent;
    if (packet.sent ? packet.thread == kNobody : way.is_recorded) return;
    const EntityId sender = packet.sent ? packet.thread : InterfaceOf(packet);
    const bool before_had_data = way.sender != kNobody && packet.sequence != way.sequence;
    const EntityId before = std::exchange(way.sender, sender);
    way.sequence = packet.sequence;
    if (!before_had_data) return;
    if (to_server) {
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

  EntityId InterfaceOf(const PacketRecord& packet) {
    const auto [found, is_new] = interfaces_.try_emplace(packet.interface, kNobody);
    if (is_new) found->second = timeline_.FindDevice(EntityKind::kNic, packet.interface);
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
