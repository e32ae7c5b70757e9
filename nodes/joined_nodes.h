// SPDX-License-Identifier: Apache-2.0
// Recordings of many nodes as one timeline.
//
//   sessions -> timelines -> messages matched -> clocks tightened -> matched again -> one timeline
//
// All times become those of the reference node's CLOCK_MONOTONIC. Threads and devices keep their
// node; their numbers (of devices, groups, stacks, things waited for) are given anew, as two nodes
// may use the same. A wait that a matched packet ended is cut in two at the time of sending. Until
// then it is a wait for the thread that sent the packet, on any node. From then on it is a wait for
// the link between the two nodes, a pseudo-thread that is always under way. If a packet was sent
// before its receiver went to wait, all of that wait is for the link. A wait without a matched
// packet stays a wait for the interface.
//
// Times in which any node paused are cut out (joint_time.h). No message crosses them.
//
// No message counts as sent after it woke its receiver, even if the clocks say so.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "analyzer/timeline/timeline.h"
#include "nodes/clock_bounds.h"
#include "schema/symbols.pb.h"
#include "trace/node_sessions.h"

namespace gordian {

struct JoinedNode {
  std::string name;
  std::string hostname;
  uint32_t cpus = 0;
  uint64_t events = 0;
  uint64_t lost = 0;
  bool is_clock_measured = false;  // else its place is that of its wall clock
  int64_t offset_ns = 0;           // the reference's clock less its own, at its start
  uint64_t measured_bound_ns = 0;  // at worst, before and after causality
  uint64_t bound_ns = 0;
  uint64_t paused_ns = 0;       // to keep to its budget
  uint64_t contradictions = 0;  // messages received before they were sent, for all clocks within
                                // the bound
  // On its own clock: what is later was not read.
  uint64_t read_until_ns = std::numeric_limits<uint64_t>::max();
};

struct NodeLink {
  EntityId entity = kNobody;
  uint32_t from = 0;  // nodes
  uint32_t to = 0;
  uint64_t messages = 0;  // that ended waits
  // In flight, until it was received; only messages that a thread sent itself.
  uint64_t timed_messages = 0;
  uint64_t shortest_ns = 0;
  uint64_t median_ns = 0;
  uint64_t longest_ns = 0;
  uint64_t bound_ns = 0;  // of both clocks together; 0 within a node
};

// Waits that a packet ended, by the outcome of matching it.
struct MatchedWaits {
  uint64_t waits = 0;
  uint64_t wait_ns = 0;
  uint64_t matched = 0;
  uint64_t matched_ns = 0;
  uint64_t tcp = 0;
  uint64_t tcp_matched = 0;
  uint64_t other_matched = 0;
  uint64_t other_sure = 0;  // of the latter
  uint64_t by_last_writer = 0;
  uint64_t in_mixed_batches = 0;  // of those that are matched; see Message
  uint64_t by_kernel = 0;
  uint64_t not_sent = 0;
  uint64_t outside = 0;
  uint64_t without_packet = 0;
  MatchedWaits& operator+=(const MatchedWaits& other);
};

// Old stack ids of each node and their new ids.
using StackIdMap = absl::flat_hash_map<uint32_t, uint32_t>;

struct JoinedNodes {
  Timeline timeline;
  std::string reference;
  std::vector<JoinedNode> nodes;  // by Entity::node
  std::vector<NodeLink> links;
  MatchedWaits waits;
  std::vector<StackIdMap> stack_ids;  // by node
  std::vector<ClockMap> clocks;       // likewise: from its clock to the reference's
};

struct NodeTimeline {
  std::string name;
  Timeline timeline;                                              // loaded with keep_packet_wakes
  uint64_t read_until_ns = std::numeric_limits<uint64_t>::max();  // as in JoinedNode
};

// `nodes` must not be empty. `joint_pauses`, on the reference's clock: those of all nodes where not
// all of them are here; null: what these nodes' own make.
JoinedNodes JoinNodes(std::vector<NodeTimeline> nodes, int threads,
                      const pb::Session* joint_pauses = nullptr);
// As they were read: marks waits for held-back data first (nodes/held_back.h).
JoinedNodes JoinReadNodes(std::vector<NodeTimeline> nodes, int threads);

// Reads the sessions beside each other, each step of each with all threads. A node with an empty
// session is left out and gets a line in `skipped`. Fails if no node is left.
//
// `options.until_ns`, and what `options.keep_reading` is told, are times of the reference's clock.
// All nodes end there, as their clocks were measured: a node that was read for longer than another
// would seem to wait for messages that were not read. Who had not begun by then is left out.
absl::StatusOr<JoinedNodes> LoadNodes(const std::vector<NodeSession>& sessions,
                                      const TimelineOptions& options, const Progress& progress,
                                      std::vector<std::string>& skipped);

// The symbols of all nodes, under the new stack ids. `symbols` by node.
pb::Symbols JoinSymbols(const std::vector<pb::Symbols>& symbols,
                        const std::vector<StackIdMap>& stack_ids);

}  // namespace gordian
