// SPDX-License-Identifier: Apache-2.0
// What must be known of all nodes to join any one of them with the others: little, whatever their
// recordings' size. So nodes can be joined apart from each other, by many processes (mpi/).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/timeline/pauses.h"
#include "analyzer/timeline/timeline.h"
#include "nodes/clock_bounds.h"
#include "nodes/joint_time.h"
#include "nodes/messages.h"

namespace gordian {

// Of one node's timeline.
struct NodeFacts {
  std::string name;
  pb::Session session;
  uint64_t start_ns = 0;
  uint64_t end_ns = 0;
  Pauses pauses;
  EntityId threads = 0;
  EntityId pseudo_threads = 0;
  uint32_t devices = 0;  // different ones that entities name
  uint32_t cgroups = 0;  // likewise
};
NodeFacts FactsOf(std::string name, const Timeline& timeline);

struct PlannedNode {
  // From the timeline's time to the reference's clock, and how far that may be off.
  ClockMap to_reference;
  uint64_t clock_bound_ns = 0;
  JointTime time;  // to the joined timeline's
  // Where its numbers begin in the joined timeline.
  EntityId threads = 0;
  EntityId first_thread = 0;
  EntityId first_pseudo_thread = 0;
  uint32_t first_device = 0;
  uint32_t first_cgroup = 0;

  EntityId NewId(EntityId id) const {
    if (id == kNobody) return kNobody;
    return id < threads ? first_thread + id : first_pseudo_thread + (id - threads);
  }
};

// A sender's node and a receiver's.
struct NodeWay {
  uint32_t from = 0;
  uint32_t to = 0;
  auto operator<=>(const NodeWay&) const = default;  // NOLINT: clang-tidy 14 errs
};

struct JoinPlan {
  std::vector<PlannedNode> nodes;
  std::vector<std::pair<uint64_t, uint64_t>> pauses;  // of any node, on the reference's clock
  uint64_t start_ns = 0;                              // of the joined timeline
  uint64_t end_ns = 0;
  // Messages went there; in order. Each is an entity of the joined timeline, from first_link on.
  std::vector<NodeWay> ways;
  EntityId first_link = 0;

  // By sender's node, the entities of links to `to`; kNobody: nothing came from there.
  std::vector<EntityId> LinksTo(uint32_t to) const;
};

// With the clocks as `bounds` say, by node. Without ways. `joint_pauses`, on the reference's clock:
// those of all nodes where not all of them are here; null: what these nodes' own make.
JoinPlan PlanJoining(std::span<const NodeFacts> nodes, const std::vector<ClockBounds>& bounds,
                     const pb::Session* joint_pauses = nullptr);

// Ways of messages that have a sender and a receiver; in order, each once.
std::vector<NodeWay> WaysOf(std::span<const Message> messages);

}  // namespace gordian
