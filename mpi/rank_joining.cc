// SPDX-License-Identifier: Apache-2.0
#include "mpi/rank_joining.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "mpi/join_units.h"

namespace gordian {
namespace {

constexpr char kPlanStage[] = "mpi-plan";
constexpr char kMatchedStage[] = "mpi-matched";
constexpr char kMovedStage[] = "mpi-moved";
constexpr char kJoinedSection[] = "joined";
constexpr char kQuestionsSection[] = "questions";

}  // namespace

void KeepJoined(const RankPlan& plan, StoreWriter& writer) {
  KeepPlan(plan, writer);
  writer.AddColumn<char>(kJoinedSection, {});
}

bool IsJoined(const StoredEntry& entry) { return entry.Has(kJoinedSection); }

void KeepQuestions(std::span<const QuestionCount> questions, StoreWriter& writer) {
  writer.AddColumn<QuestionCount>(kQuestionsSection, questions);
}

absl::StatusOr<std::vector<QuestionCount>> KeptQuestionsOf(StoredEntry& entry) {
  const auto questions = entry.Column<QuestionCount>(kQuestionsSection);
  if (!questions.ok()) return questions.status();
  return std::vector<QuestionCount>(questions->begin(), questions->end());
}

absl::Status RankJoining::Run() {
  if (absl::Status status = TakeFacts(); !status.ok()) return status;
  clocks_ = ClocksOf(plan_.facts, {});
  plan_.bounds = clocks_.bounds;
  auto matched = MatchAll("match", /*again=*/false);
  if (!matched.ok()) return matched.status();
  found_ = {.measured_bounds_ns = BoundsOf(plan_.joining),
            .contradictions = std::vector<uint64_t>(nodes_.size())};
  if (AnyBound(plan_.joining)) {
    if (absl::Status status = TightenClocks(*matched); !status.ok()) return status;
  }
  return MoveAll(std::move(matched->ways));
}

void RankJoining::Tell(JoinedNodes& joined) const {
  TellClocks(plan_.facts, plan_.joining, clocks_, found_, joined);
}

absl::Status RankJoining::TakeFacts() {
  bool share_a_folder = true;
  for (const SettledNode& node : nodes_) {
    const pb::RankMade& made = node.settled.made;
    NodeFacts facts = FactsOf(made.node());
    facts.name = node.name;
    plan_.facts.push_back(std::move(facts));
    plan_.timelines.push_back(made.result());
    plan_.senders.push_back(made.senders());
    holders_.push_back(static_cast<uint32_t>(node.settled.rank));
  }
  for (const auto& hello : results_.crew().hellos())
    share_a_folder &= hello.folder() == results_.folder().identity();
  if (share_a_folder) holders_.clear();
  return absl::OkStatus();
}

// For all ranks to find.
absl::StatusOr<pb::RankKey> RankJoining::SharePlan(std::vector<NodeWay> ways) {
  FinishPlan(std::move(ways), plan_);
  pb::RankKey key;
  key.set_recording(HashOfPlan(plan_));
  key.set_stage(kPlanStage);
  if (results_.folder().Find(key).ok()) return key;
  auto writer = results_.folder().Begin(key, "a plan");
  if (!writer.ok()) return writer.status();
  KeepPlan(plan_, *writer);
  if (absl::Status status = writer->Commit(); !status.ok()) return status;
  return key;
}

DealtUnit RankJoining::UnitOf(const char* what, size_t node) const {
  DealtUnit dealt;
  dealt.unit.set_name(absl::StrCat(what, " ", nodes_[node].name));
  dealt.ranks = results_.RanksBeside(nodes_[node].settled.rank);
  dealt.cost = nodes_[node].bytes;
  return dealt;
}

absl::StatusOr<RankJoining::Matched> RankJoining::MatchAll(const char* what, bool again) {
  const auto plan = SharePlan({});
  if (!plan.ok()) return plan.status();
  std::vector<DealtUnit> units;
  for (size_t node = 0; node < nodes_.size(); ++node) {
    DealtUnit& dealt = units.emplace_back(UnitOf(what, node));
    pb::MatchUnit& unit = *dealt.unit.mutable_match();
    *unit.mutable_plan() = *plan;
    unit.set_node(static_cast<uint32_t>(node));
    unit.mutable_holders()->Add(holders_.begin(), holders_.end());
    pb::RankKey& result = *unit.mutable_result();
    result.set_recording(plan->recording());
    result.set_stage(kMatchedStage);
    result.set_options(absl::StrCat(node));
    if (!again) continue;
    *unit.mutable_before() = messages_[node];
    result.set_options(absl::StrCat(node, " after ", messages_[node].recording()));
  }
  const auto made = results_.crew().Make(units);
  if (!made.ok()) return made.status();
  Matched all;
  const std::vector<pb::RankKey> before = std::exchange(messages_, {});
  for (size_t node = 0; node < nodes_.size(); ++node) {
    bool messages_stand = false;
    const absl::Status status =
        results_.UseResult(units[node], (*made)[node], [&](StoredEntry entry) {
          const auto found = KeptFindingsOf(entry);
          if (!found.ok()) return found.status();
          messages_stand = again && found->messages_stand;
          all.flights.insert(all.flights.end(), found->flights.begin(), found->flights.end());
          all.counts.insert(all.counts.end(), found->counts.begin(), found->counts.end());
          all.ways.insert(all.ways.end(), found->ways.begin(), found->ways.end());
          return absl::OkStatus();
        });
    if (!status.ok()) return status;
    const pb::RankMade& one = (*made)[node].made;
    messages_.push_back(messages_stand ? before[node] : MessagesKeyOf(one.result()));
    if (!one.has_timeline()) continue;
    plan_.timelines[node] = one.timeline();
    plan_.facts[node].pseudo_threads = one.node().pseudo_threads();
  }
  std::sort(all.ways.begin(), all.ways.end());
  return all;
}

absl::Status RankJoining::TightenClocks(Matched& matched) {
  TightenByCausality(matched.flights, plan_.bounds);
  matched = {};  // there are 4,096 flights for each two nodes that talk
  auto again = MatchAll("match again", /*again=*/true);
  if (!again.ok()) return again.status();
  const std::vector<uint64_t> wrong = WrongClocks(again->counts, plan_.bounds);
  if (wrong != std::vector<uint64_t>(wrong.size())) {
    // Once more from the beginning, as wrong bounds have gone into the bounds of others.
    clocks_ = ClocksOf(plan_.facts, wrong);
    plan_.bounds = clocks_.bounds;
    auto believed = MatchAll("match without wrong clocks", /*again=*/false);
    if (!believed.ok()) return believed.status();
    TightenByCausality(believed->flights, plan_.bounds);
    *believed = {};
    again = MatchAll("match again without wrong clocks", /*again=*/true);
    if (!again.ok()) return again.status();
  }
  found_.contradictions = ContradictionsByNode(again->counts, nodes_.size());
  for (size_t i = 0; i < wrong.size(); ++i) found_.contradictions[i] += wrong[i];
  clocks_.bounds = plan_.bounds;
  matched = *std::move(again);
  return absl::OkStatus();
}

absl::Status RankJoining::MoveAll(std::vector<NodeWay> ways) {
  const auto plan = SharePlan(std::move(ways));
  if (!plan.ok()) return plan.status();
  std::vector<DealtUnit> units;
  for (size_t node = 0; node < nodes_.size(); ++node) {
    DealtUnit& dealt = units.emplace_back(UnitOf("move", node));
    pb::MoveUnit& unit = *dealt.unit.mutable_move();
    *unit.mutable_plan() = *plan;
    unit.set_node(static_cast<uint32_t>(node));
    *unit.mutable_messages() = messages_[node];
    pb::RankKey& result = *unit.mutable_result();
    result.set_recording(plan->recording());
    result.set_stage(kMovedStage);
    result.set_options(
        absl::StrCat(node, " by ", messages_[node].recording(), ", ", messages_[node].options()));
  }
  const auto made = results_.crew().Make(units);
  if (!made.ok()) return made.status();
  plan_.moved.clear();
  for (size_t node = 0; node < nodes_.size(); ++node) {
    const MadeUnit& one = (*made)[node];
    if (absl::Status status = StatusOf(one.made); !status.ok()) return status;
    plan_.moved.push_back(one.made.result());
    if (!holders_.empty()) holders_[node] = static_cast<uint32_t>(one.rank);
  }
  return absl::OkStatus();
}

}  // namespace gordian
