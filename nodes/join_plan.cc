// SPDX-License-Identifier: Apache-2.0
#include "nodes/join_plan.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/container/flat_hash_set.h"

namespace gordian {

NodeFacts FactsOf(std::string name, const Timeline& timeline) {
  NodeFacts facts{.name = std::move(name),
                  .session = timeline.session(),
                  .start_ns = timeline.start_ns(),
                  .end_ns = timeline.end_ns(),
                  .pauses = timeline.pauses(),
                  .threads = timeline.thread_count(),
                  .pseudo_threads =
                      static_cast<EntityId>(timeline.entities().size()) - timeline.thread_count()};
  std::set<std::pair<EntityKind, uint32_t>> devices;
  absl::flat_hash_set<uint64_t> cgroups;
  for (const Entity& entity : timeline.entities()) {
    if (entity.kind == EntityKind::kDisk || entity.kind == EntityKind::kNic)
      devices.emplace(entity.kind, entity.device);
    if (entity.cgroup_id != 0) cgroups.insert(entity.cgroup_id);
  }
  facts.devices = static_cast<uint32_t>(devices.size());
  facts.cgroups = static_cast<uint32_t>(cgroups.size());
  return facts;
}

std::vector<EntityId> JoinPlan::LinksTo(uint32_t to) const {
  std::vector<EntityId> links(nodes.size(), kNobody);
  for (size_t i = 0; i < ways.size(); ++i)
    if (ways[i].to == to) links[ways[i].from] = first_link + static_cast<EntityId>(i);
  return links;
}

JoinPlan PlanJoining(std::span<const NodeFacts> nodes, const std::vector<ClockBounds>& bounds,
                     const pb::Session* joint_pauses) {
  JoinPlan plan;
  plan.start_ns = UINT64_MAX;
  const std::vector<ClockMap> clocks(bounds.begin(), bounds.end());
  const pb::Session pauses_on_clock =
      joint_pauses != nullptr ? *joint_pauses : JointPauses(nodes, clocks);
  const Pauses pauses(pauses_on_clock, 0);
  plan.pauses = pauses.Stretches();
  EntityId next = 0;
  uint32_t next_device = 1;
  uint32_t next_cgroup = 1;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const NodeFacts& facts = nodes[i];
    PlannedNode& node = plan.nodes.emplace_back();
    node.to_reference = TimelineToReference(facts, clocks[i]);
    node.clock_bound_ns = bounds[i].BoundWithin(facts.pauses.ClockTime(facts.start_ns),
                                                facts.pauses.ClockTime(facts.end_ns));
    node.time = JointTimeOf(facts, node.to_reference, pauses);
    node.threads = facts.threads;
    node.first_thread = next;
    node.first_device = next_device;
    node.first_cgroup = next_cgroup;
    next += facts.threads;
    next_device += facts.devices;
    next_cgroup += facts.cgroups;
    plan.start_ns = std::min(plan.start_ns, node.time.clock.ToReference(facts.start_ns));
    plan.end_ns = std::max(plan.end_ns, node.time.clock.ToReference(facts.end_ns));
  }
  // All threads, node by node, then all other entities.
  for (size_t i = 0; i < nodes.size(); ++i) {
    plan.nodes[i].first_pseudo_thread = next;
    next += nodes[i].pseudo_threads;
  }
  plan.first_link = next;
  return plan;
}

std::vector<NodeWay> WaysOf(std::span<const Message> messages) {
  absl::flat_hash_set<std::pair<uint32_t, uint32_t>> found;
  std::pair<uint32_t, uint32_t> latest;  // mostly it is that of the message before
  for (const Message& message : messages) {
    if (message.receiver == kNobody || message.fate != MessageFate::kMatched) continue;
    const std::pair way{message.from_node, message.to_node};
    if (way == latest && !found.empty()) continue;
    latest = way;
    found.insert(way);
  }
  std::vector<NodeWay> ways;
  ways.reserve(found.size());
  for (const auto& [from, to] : found) ways.push_back({from, to});
  std::sort(ways.begin(), ways.end());
  return ways;
}

}  // namespace gordian
