// SPDX-License-Identifier: Apache-2.0
// Refinement as a walk down a SplitTree, and the account of that walk.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/knots/knots.h"
#include "analyzer/knots/split_tree.h"

namespace gordian {

// The decision about one set of vertices.
struct RefineVisit {
  enum class Outcome : uint8_t { kSplit, kCut, kSingle, kCycle, kAboveThreshold, kEqualWeights };
  uint32_t node = 0;
  Outcome outcome = Outcome::kSplit;
  // Edges within the set of this rank or a later one were dropped.
  uint32_t first_dropped_rank = 0;
  std::vector<uint32_t> terminal_children;  // kSplit: nodes; kCut: vertices, which are nodes too
};

// Every removal and split of these visits, in the order of the weights.
std::vector<RefineStep> ExplainVisits(const SplitTree& tree, std::span<const KnotEdge> edges,
                                      const std::vector<RefineVisit>& visits);

}  // namespace gordian
