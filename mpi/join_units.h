// SPDX-License-Identifier: Apache-2.0
// Units that join nodes, as one rank makes them:
//
//   match (node)   who sent the packets that woke its threads; how clocks must stand for that
//   move (node)    its timeline, in time and numbers of the joined one
//
// Inner to the room.
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
  absl::StatusOr<const RankPlan*> PlanOf(const pb::RankKey& key);
  absl::Status OpenSenders(const RankPlan& plan, const pb::MatchUnit& unit);
  absl::Status MarkHeldBackData(const pb::MatchUnit& unit, const ColumnMemory& columns,
                                Timeline& timeline, pb::RankMade& made) const;
  absl::StatusOr<Timeline> TimelineOf(const pb::MatchUnit& unit, const RankPlan& plan,
                                      const ColumnMemory& columns);
  absl::Status MatchFirst(const pb::MatchUnit& unit, const RankPlan& plan,
                          const ColumnMemory& columns, Matched& matched, pb::RankMade& made);
  absl::Status MatchAgain(const pb::MatchUnit& unit, const RankPlan& plan, ColumnMemory columns,
                          Matched& matched);
  uint64_t CausalityWindowOf(const RankPlan& plan);
  absl::Status KeepMessages(const pb::RankKey& key, std::span<const Message> messages) const;

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
