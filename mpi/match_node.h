// SPDX-License-Identifier: Apache-2.0
// Finds who sent the packets that woke a node's threads, among all nodes' senders.
//
// No flow depends on another. So flows are matched in batches whose wakes take so much memory at a
// time, however many there are in all:
//
//   one pass over the node's packets   notes each wake with its packet behind those of its batch
//   each batch                         in plain memory, flow by flow, with what was sent in each
//   one pass over the node's wakes     takes each message from its batch
//
// So each record is touched a fixed number of times, and files are read and written from their
// beginnings to their ends, whatever the number of batches. Inner to the room.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "analysis/read_options.h"
#include "analyzer/kept/kept_senders.h"
#include "mpi/rank_plan.h"
#include "nodes/flow_directory.h"
#include "nodes/messages.h"

namespace gordian {

struct SendersOfNodes {
  std::vector<KeptSenders> of_node;
  std::unique_ptr<const FlowDirectory> directory;
};

// By node, the flows that are the same as those of `timeline`.
std::map<uint32_t, std::vector<uint32_t>> SameFlowsOf(const Timeline& timeline,
                                                      std::span<const uint32_t> flow_ids,
                                                      const FlowDirectory& directory);

struct NodeToMatch {
  const RankPlan& plan;
  uint32_t number = 0;
  const Timeline& timeline;  // the node's of that number
  const SendersOfNodes& senders;
  int threads = 0;
  MemoryOptions memory;
};

// One for each packet wake, in order. They will lie in `columns`.
Column<Message> MatchNode(const NodeToMatch& node, const ColumnMemory& columns);
// Looks again at those that depend on clocks.
void MatchNodeAgain(const NodeToMatch& node, std::span<Message> messages);

}  // namespace gordian
