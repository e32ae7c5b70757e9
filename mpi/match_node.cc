// SPDX-License-Identifier: Apache-2.0
#include "mpi/match_node.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "analysis/recording.h"

namespace gordian {
namespace {

// What is noted of a wake and of a sent packet while their flow is matched (nodes/flow_traffic.h):
// an arrival, and a datagram that was received; a row of the sender's, its packet, and its notes.
// They only say how large batches are: rows that need more go to files.
constexpr uint64_t kBytesPerWake = 96;
constexpr uint64_t kBytesPerSent = 144;

// Flows that are the same one.
struct WholeFlow {
  std::vector<uint32_t> ids;
  uint64_t wakes = 0;
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

Column<Message> NodeMatcher::Match(const ColumnMemory& columns) const {
  Column<Message> messages = UnmatchedMessages(ViewOf(number_, timeline_), columns);
  const std::span<Message> all(messages.begin(), messages.end());
  for (const Batch& batch : Batches(all, /*again=*/false)) MatchBatch(batch, /*again=*/false, all);
  return messages;
}

void NodeMatcher::MatchAgain(std::span<Message> messages) const {
  for (const Batch& batch : Batches(messages, /*again=*/true))
    MatchBatch(batch, /*again=*/true, messages);
}

std::vector<NodeMatcher::Batch> NodeMatcher::Batches(std::span<const Message> messages,
                                                     bool again) const {
  absl::flat_hash_map<uint32_t, uint64_t> wakes_of_flow;
  size_t index = 0;
  for (const PacketWake& wake : timeline_.packet_wakes()) {
    if (again && !messages[index++].depends_on_clocks) continue;
    if (wake.flow_id != 0) ++wakes_of_flow[wake.flow_id];
  }
  std::vector<uint32_t> ids;
  for (const auto& [id, wakes] : wakes_of_flow)
    if (timeline_.flows().contains(id)) ids.push_back(id);
  std::sort(ids.begin(), ids.end());
  // The same flow has the same places.
  std::map<const FlowDirectory::Place*, WholeFlow> flows;
  std::vector<std::span<const FlowDirectory::Place>> in_order;
  for (const uint32_t id : ids) {
    const auto places = senders_.directory->PlacesOf(timeline_.flows().at(id));
    if (places.empty()) continue;  // nobody knows it, not even this node
    WholeFlow& flow = flows[places.data()];
    if (flow.ids.empty()) in_order.push_back(places);
    flow.ids.push_back(id);
    flow.wakes += wakes_of_flow[id];
  }
  std::vector<Batch> batches;
  uint64_t bytes = 0;
  for (const auto places : in_order) {
    const WholeFlow& flow = flows.at(places.data());
    const uint64_t more_bytes = flow.wakes * kBytesPerWake + SentBytes(places);
    if (batches.empty() || bytes + more_bytes > memory_.bytes) {
      batches.emplace_back();
      bytes = 0;
    }
    batches.back().insert(batches.back().end(), flow.ids.begin(), flow.ids.end());
    bytes += more_bytes;
  }
  return batches;
}

uint64_t NodeMatcher::SentBytes(std::span<const FlowDirectory::Place> places) const {
  uint64_t sent = 0;
  for (const FlowDirectory::Place& place : places)
    sent += senders_.of_node[place.node].SentIn(place.flow_id);
  return sent * kBytesPerSent;
}

// In plain memory: rows are written flow by flow, all over, and pages of files would come and go
// all the time. One flow that is larger alone is written in order of time.
void NodeMatcher::MatchBatch(const Batch& batch, bool again, std::span<Message> messages) const {
  MemoryOptions of_batch = memory_;
  of_batch.bytes *= 4;  // of which a quarter is plain
  const ColumnMemory rows = ColumnsWithin(of_batch);
  auto same = SameFlowsOf(timeline_, batch, *senders_.directory);
  same[number_];
  std::deque<Timeline> others;
  std::vector<NodeView> views;
  size_t own_view = 0;
  uint64_t widest_bound_ns = 0;
  for (const PlannedNode& one : plan_.joining.nodes)
    widest_bound_ns = std::max(widest_bound_ns, one.clock_bound_ns);
  for (const auto& [other, ids] : same) {
    if (other == number_) own_view = views.size();
    if (other != number_)
      others.push_back(senders_.of_node[other].TimelineOf(ids, /*with_processes=*/false, rows));
    views.push_back(ViewOf(other, other == number_ ? timeline_ : others.back()));
  }
  // How far an arrival may be off depends on all clocks.
  const Timeline nothing;
  views.push_back({.timeline = &nothing,
                   .clock_bound_ns = widest_bound_ns,
                   .number = static_cast<uint32_t>(plan_.joining.nodes.size())});
  MatchFlows(views, threads_, {.view = own_view, .flow_ids = batch, .again = again}, messages,
             rows);
}

NodeView NodeMatcher::ViewOf(uint32_t number, const Timeline& timeline) const {
  const PlannedNode& planned = plan_.joining.nodes[number];
  return {.timeline = &timeline,
          .clock = planned.to_reference,
          .clock_bound_ns = planned.clock_bound_ns,
          .pauses = &plan_.pauses,
          .number = number};
}

}  // namespace gordian
