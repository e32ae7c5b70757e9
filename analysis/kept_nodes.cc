// SPDX-License-Identifier: Apache-2.0
#include "analysis/kept_nodes.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "schema/kept.pb.h"

namespace gordian {
namespace {

constexpr char kNodesSection[] = "nodes";
constexpr char kStackIdsSection[] = "stack_ids";
constexpr char kKnotsSection[] = "knots";

struct KeptStackId {
  uint32_t node_id = 0;
  uint32_t joined_id = 0;
};

// In the order in which they are kept.
constexpr std::array kWaitCounts = {&MatchedWaits::waits,
                                    &MatchedWaits::wait_ns,
                                    &MatchedWaits::matched,
                                    &MatchedWaits::matched_ns,
                                    &MatchedWaits::tcp,
                                    &MatchedWaits::tcp_matched,
                                    &MatchedWaits::other_matched,
                                    &MatchedWaits::other_sure,
                                    &MatchedWaits::by_last_writer,
                                    &MatchedWaits::in_mixed_batches,
                                    &MatchedWaits::by_kernel,
                                    &MatchedWaits::not_sent,
                                    &MatchedWaits::outside,
                                    &MatchedWaits::without_packet};
static_assert(sizeof(MatchedWaits) == kWaitCounts.size() * sizeof(uint64_t));

pb::KeptNode KeptMessageOf(const JoinedNode& node) {
  pb::KeptNode told;
  told.set_name(node.name);
  told.set_hostname(node.hostname);
  told.set_cpus(node.cpus);
  told.set_events(node.events);
  told.set_lost(node.lost);
  told.set_is_clock_measured(node.is_clock_measured);
  told.set_offset_ns(node.offset_ns);
  told.set_measured_bound_ns(node.measured_bound_ns);
  told.set_bound_ns(node.bound_ns);
  told.set_paused_ns(node.paused_ns);
  told.set_contradictions(node.contradictions);
  return told;
}

JoinedNode NodeOf(const pb::KeptNode& told) {
  return {.name = told.name(),
          .hostname = told.hostname(),
          .cpus = told.cpus(),
          .events = told.events(),
          .lost = told.lost(),
          .is_clock_measured = told.is_clock_measured(),
          .offset_ns = told.offset_ns(),
          .measured_bound_ns = told.measured_bound_ns(),
          .bound_ns = told.bound_ns(),
          .paused_ns = told.paused_ns(),
          .contradictions = told.contradictions()};
}

pb::KeptLink KeptMessageOf(const NodeLink& link) {
  pb::KeptLink told;
  told.set_entity(link.entity);
  told.set_from(link.from);
  told.set_to(link.to);
  told.set_messages(link.messages);
  told.set_timed_messages(link.timed_messages);
  told.set_shortest_ns(link.shortest_ns);
  told.set_median_ns(link.median_ns);
  told.set_longest_ns(link.longest_ns);
  told.set_bound_ns(link.bound_ns);
  return told;
}

NodeLink LinkOf(const pb::KeptLink& told) {
  return {.entity = told.entity(),
          .from = told.from(),
          .to = told.to(),
          .messages = told.messages(),
          .timed_messages = told.timed_messages(),
          .shortest_ns = told.shortest_ns(),
          .median_ns = told.median_ns(),
          .longest_ns = told.longest_ns(),
          .bound_ns = told.bound_ns()};
}

// The next `count` of `rows`. False if there are fewer.
template <typename Row>
bool TakeFirst(uint64_t count, std::span<const Row>& rows, std::span<const Row>& taken) {
  if (count > rows.size()) return false;
  taken = rows.first(count);
  rows = rows.subspan(count);
  return true;
}

}  // namespace

void KeepNodes(const LoadedRecording& recording, StoreWriter& writer) {
  const JoinedNodes& joined = *recording.nodes;
  pb::KeptNodes told;
  told.set_reference(joined.reference);
  std::vector<KeptStackId> stack_ids;
  std::vector<ClockMap::Knot> knots;
  for (size_t node = 0; node < joined.nodes.size(); ++node) {
    pb::KeptNode& one = *told.add_nodes() = KeptMessageOf(joined.nodes[node]);
    for (const auto& [node_id, joined_id] : joined.stack_ids[node])
      stack_ids.push_back({node_id, joined_id});
    one.set_stack_ids(joined.stack_ids[node].size());
    const std::span<const ClockMap::Knot> of_clock = joined.clocks[node].knots();
    knots.insert(knots.end(), of_clock.begin(), of_clock.end());
    one.set_knots(of_clock.size());
  }
  for (const NodeLink& link : joined.links) *told.add_links() = KeptMessageOf(link);
  for (const auto count : kWaitCounts) told.add_waits(joined.waits.*count);
  for (const std::string& directory : recording.directories) told.add_directories(directory);
  for (const std::string& line : recording.left_out) told.add_left_out(line);
  writer.AddMessage(kNodesSection, told);
  writer.AddColumn<KeptStackId>(kStackIdsSection, stack_ids);
  writer.AddColumn<ClockMap::Knot>(kKnotsSection, knots);
}

bool HasKeptNodes(const StoredEntry& entry) { return entry.Has(kNodesSection); }

absl::Status ReadKeptNodes(StoredEntry& entry, LoadedRecording& recording) {
  pb::KeptNodes told;
  if (absl::Status status = entry.Message(kNodesSection, told); !status.ok()) return status;
  const auto all_stack_ids = entry.Column<KeptStackId>(kStackIdsSection);
  if (!all_stack_ids.ok()) return all_stack_ids.status();
  const auto all_knots = entry.Column<ClockMap::Knot>(kKnotsSection);
  if (!all_knots.ok()) return all_knots.status();

  auto joined = std::make_unique<JoinedNodes>();
  joined->reference = told.reference();
  std::span<const KeptStackId> stack_ids = *all_stack_ids;
  std::span<const ClockMap::Knot> knots = *all_knots;
  bool is_whole = told.waits_size() == static_cast<int>(kWaitCounts.size()) &&
                  told.directories_size() == told.nodes_size();
  for (const pb::KeptNode& node : told.nodes()) {
    std::span<const KeptStackId> its_ids;
    std::span<const ClockMap::Knot> its_knots;
    is_whole = is_whole && TakeFirst(node.stack_ids(), stack_ids, its_ids) &&
               TakeFirst(node.knots(), knots, its_knots) && !its_knots.empty();
    if (!is_whole) return absl::DataLossError("kept nodes contradict themselves");
    joined->nodes.push_back(NodeOf(node));
    StackIdMap& map = joined->stack_ids.emplace_back();
    for (const KeptStackId& id : its_ids) map.emplace(id.node_id, id.joined_id);
    joined->clocks.emplace_back(std::vector<ClockMap::Knot>(its_knots.begin(), its_knots.end()));
  }
  for (const pb::KeptLink& link : told.links()) joined->links.push_back(LinkOf(link));
  for (size_t i = 0; i < kWaitCounts.size(); ++i)
    joined->waits.*kWaitCounts[i] = told.waits(static_cast<int>(i));
  recording.directories.assign(told.directories().begin(), told.directories().end());
  recording.left_out.assign(told.left_out().begin(), told.left_out().end());
  recording.nodes = std::move(joined);
  return absl::OkStatus();
}

}  // namespace gordian
