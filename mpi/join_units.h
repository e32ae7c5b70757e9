// SPDX-License-Identifier: Apache-2.0
// Units that join nodes, as one rank makes them:
//
//   match (node)   who sent the packets that woke its threads; how clocks must stand for that
//   move (node)    its timeline, in time and numbers of the joined one
//
// A unit has one node, or several small ones; the results of all are members of one file. Inner to
// the room.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "analysis/read_options.h"
#include "analyzer/kept/kept_timeline.h"
#include "mpi/match_node.h"
#include "mpi/rank_plan.h"
#include "mpi/ranks.h"
#include "mpi/work_folder.h"
#include "nodes/causality.h"
#include "nodes/timeline_joiner.h"
#include "schema/ranks.pb.h"

namespace gordian {

// What a match found, beside its messages.
struct MatchFindings {
  std::vector<ClockFlight> flights;  // of the first match
  std::vector<WayCount> counts;      // of a later one: with the plan's clocks, of what was before
  std::vector<NodeWay> ways;
  bool messages_stand = false;  // of a later one: no match depends on clocks, so all are as before
};

class JoinUnits {
 public:
  // Both must outlive it.
  JoinUnits(Ranks& ranks, const WorkFolder& folder, int threads, MemoryOptions memory)
      : ranks_(ranks), folder_(folder), threads_(threads), memory_(std::move(memory)) {}

  absl::Status Match(const pb::MatchUnit& unit, pb::RankMade& made);
  absl::Status Move(const pb::MoveUnit& unit, pb::RankMade& made);
  // What the last unit left for the next one. No unit will follow soon.
  void Forget();

 private:
  struct Matched {
    Column<Message> messages;  // empty if those before stand
    MatchFindings findings;
  };
  struct NodeOfUnit {
    const pb::MatchUnit& unit;
    const RankPlan& plan;
    uint32_t number = 0;
    const pb::RankKey* before = nullptr;  // its messages; null: it is matched for the first time
    ColumnMemory columns;
    ResultsInARow& timelines;
    ResultsInARow& earlier;  // messages
  };
  // InvalidArgument if one is not of the plan.
  template <typename Unit>
  absl::StatusOr<const RankPlan*> PlanFor(const Unit& unit);
  absl::StatusOr<const RankPlan*> PlanOf(const pb::RankKey& key);
  absl::Status OpenSenders(const RankPlan& plan, const pb::MatchUnit& unit);
  bool TakeKept(const pb::MatchUnit& unit, pb::RankMade& made) const;
  absl::Status MarkHeldBackData(const NodeOfUnit& node, Timeline& timeline,
                                pb::RankMade& part) const;
  absl::StatusOr<Timeline> TimelineOf(const NodeOfUnit& node);
  absl::Status MatchFirst(const NodeOfUnit& node, Matched& matched, pb::RankMade& part);
  absl::Status MatchAgain(NodeOfUnit node, Matched& matched);
  uint64_t CausalityWindowOf(const RankPlan& plan);
  struct KeptInputs {
    ResultsInARow timelines;
    ResultsInARow messages;
  };
  // `writer` is begun for the first of them.
  absl::Status MoveNode(const pb::MoveUnit& unit, int place, const RankPlan& plan,
                        KeptInputs& inputs, std::optional<StoreWriter>& writer) const;

  Ranks& ranks_;
  const WorkFolder& folder_;
  const int threads_;
  const MemoryOptions memory_;
  // Of the last unit: the next one mostly needs the same.
  std::string plan_key_;
  std::unique_ptr<const RankPlan> plan_;
  std::optional<uint64_t> causality_window_ns_;  // of the plan, which all nodes have a part in
  std::string senders_key_;
  SendersOfNodes senders_;
};

// DataLoss if it does not check.
absl::StatusOr<MatchFindings> KeptFindingsOf(StoredEntry& entry);

// Where its messages are kept, unless those before it stand.
pb::RankKey MessagesKeyOf(const pb::RankKey& match);

// A part of the joined timeline.
absl::StatusOr<MovedNode> KeptMovedNodeOf(StoredEntry entry, const ColumnMemory& memory,
                                          KeptRows rows);

// The joined timeline of a plan whose nodes are moved. Brings parts here, if `holders`, by node,
// tells who has them.
absl::StatusOr<JoinedNodes> ComposedOf(const RankPlan& plan, Ranks& ranks, const WorkFolder& folder,
                                       const MemoryOptions& memory,
                                       const std::vector<uint32_t>& holders, KeptRows rows,
                                       const std::optional<std::vector<QuestionCount>>& questions);

}  // namespace gordian
