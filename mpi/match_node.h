// SPDX-License-Identifier: Apache-2.0
// Finds who sent the packets that woke a node's threads, among all nodes' senders.
//
// No flow depends on another. So flows are matched in batches whose packets take so much memory at
// a time, however many there are in all. Inner to the room.
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

class NodeMatcher {
 public:
  // All must outlive it. `timeline` is the node's of that number.
  NodeMatcher(const RankPlan& plan, uint32_t number, const Timeline& timeline,
              const SendersOfNodes& senders, int threads, const MemoryOptions& memory)
      : plan_(plan),
        number_(number),
        timeline_(timeline),
        senders_(senders),
        threads_(threads),
        memory_(memory) {}

  // One for each packet wake, in order. They will lie in `columns`.
  Column<Message> Match(const ColumnMemory& columns) const;
  // Looks again at those that depend on clocks.
  void MatchAgain(std::span<Message> messages) const;

 private:
  using Batch = std::vector<uint32_t>;  // flows of the node
  // `again`: with wakes that depend on clocks.
  std::vector<Batch> Batches(std::span<const Message> messages, bool again) const;
  uint64_t SentBytes(std::span<const FlowDirectory::Place> places) const;
  void MatchBatch(const Batch& batch, bool again, std::span<Message> messages) const;
  NodeView ViewOf(uint32_t number, const Timeline& timeline) const;

  const RankPlan& plan_;
  const uint32_t number_;
  const Timeline& timeline_;
  const SendersOfNodes& senders_;
  const int threads_;
  const MemoryOptions memory_;
};

}  // namespace gordian
