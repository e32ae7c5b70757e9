// SPDX-License-Identifier: Apache-2.0
// Rank 0's part of joining nodes: it deals out units (join_units.h), solves the clocks in between,
// and puts the parts behind each other. Nobody needs all nodes' events. Inner to the room.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "analysis/read_options.h"
#include "mpi/rank_plan.h"
#include "mpi/unit_results.h"
#include "nodes/causality.h"
#include "nodes/joining_steps.h"

namespace gordian {

// A node that was settled.
struct SettledNode {
  std::string name;
  MadeUnit settled;
  uint64_t bytes = 0;  // of its files: what costs most goes first
  size_t unit = 0;     // of one number: nodes that follow each other, and are one unit's
};

// A joined timeline is kept as its plan, with the keys of its parts. A failure is the writer's.
void KeepJoined(const RankPlan& plan, StoreWriter& writer);
bool IsJoined(const StoredEntry& entry);  // then KeptPlanOf gives its plan

// Who asks whom is kept apart from it, as only rank 0 needs it.
void KeepQuestions(std::span<const QuestionCount> questions, StoreWriter& writer);
absl::StatusOr<std::vector<QuestionCount>> KeptQuestionsOf(StoredEntry& entry);

class RankJoining {
 public:
  // `threads`: of this rank, while the others wait.
  RankJoining(UnitResults& results, const std::vector<SettledNode>& nodes, int threads);

  // NotFound and DataLoss: what it needs was damaged, and is gone. Then nodes must be settled
  // again.
  absl::Status Run();

  // Behind Run.
  RankPlan& plan() { return plan_; }
  // By node, the rank that has its part; empty: all share a folder.
  const std::vector<uint32_t>& holders() const { return holders_; }
  // Fills in what joined.nodes says of clocks.
  void Tell(JoinedNodes& joined) const;

 private:
  struct Matched {
    std::vector<ClockFlight> flights;
    std::vector<WayCount> counts;
    std::vector<NodeWay> ways;
  };
  absl::Status TakeFacts();
  absl::StatusOr<pb::RankKey> SharePlan(std::vector<NodeWay> ways);
  // `again`: from what the match before found.
  absl::StatusOr<Matched> MatchAll(const char* what, bool again);
  // What a match of the nodes of a unit found.
  absl::Status TakeMatched(const std::vector<uint32_t>& nodes, StoredEntry file, bool again,
                           Matched& all);
  absl::Status TightenClocks(Matched& matched);
  absl::Status MoveAll(std::vector<NodeWay> ways);
  DealtUnit UnitOf(const char* what, const std::vector<uint32_t>& nodes) const;

  UnitResults& results_;
  const std::vector<SettledNode>& nodes_;
  const int threads_;
  std::vector<std::vector<uint32_t>> units_;  // the nodes of each
  RankPlan plan_;
  NodeClocks clocks_;  // their bounds are the plan's
  ClockFindings found_;
  std::vector<uint32_t> holders_;
  std::vector<pb::RankKey> messages_;  // by node, of the last match
  std::vector<uint8_t> stand_;         // by node: it found that those before stand
};

}  // namespace gordian
