// SPDX-License-Identifier: Apache-2.0
#include "mpi/rank_joining.h"

#include <algorithm>
#include <span>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analysis/recording_key.h"
#include "mpi/join_units.h"
#include "store/entry_format.h"

namespace gordian {
namespace {

constexpr char kPlanStage[] = "mpi-plan";
constexpr char kMatchedStage[] = "mpi-matched";
constexpr char kMovedStage[] = "mpi-moved";
constexpr char kJoinedSection[] = "joined";
constexpr char kQuestionsSection[] = "questions";

// Of a key's options: those of many nodes would be long.
std::string HashOf(const google::protobuf::RepeatedPtrField<pb::RankKey>& keys) {
  std::string told;
  for (const pb::RankKey& key : keys) AddText(key.SerializeAsString(), told);
  return absl::StrCat(ContentHash(std::as_bytes(std::span(told.data(), told.size()))));
}

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

RankJoining::RankJoining(UnitResults& results, const std::vector<SettledNode>& nodes, int threads)
    : results_(results), nodes_(nodes), threads_(threads) {
  for (uint32_t node = 0; node < nodes_.size(); ++node) {
    if (node == 0 || nodes_[node].unit != nodes_[node - 1].unit) units_.emplace_back();
    units_.back().push_back(node);
  }
}

absl::Status RankJoining::Run() {
  if (absl::Status status = TakeFacts(); !status.ok()) return status;
  clocks_ = ClocksOf(plan_.facts, {});
  plan_.bounds = std::move(clocks_.bounds);
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
  TellClocks(plan_.facts, plan_.joining, {clocks_.reference, plan_.bounds, clocks_.is_measured},
             found_, joined);
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

DealtUnit RankJoining::UnitOf(const char* what, const std::vector<uint32_t>& nodes) const {
  const SettledNode& first = nodes_[nodes.front()];
  DealtUnit dealt;
  dealt.unit.set_name(absl::StrCat(what, " ", first.name));
  if (nodes.size() > 1)
    absl::StrAppend(dealt.unit.mutable_name(), " to ", nodes_[nodes.back()].name);
  dealt.ranks = results_.RanksBeside(first.settled.rank);
  for (const uint32_t node : nodes) dealt.cost += nodes_[node].bytes;
  return dealt;
}

absl::StatusOr<RankJoining::Matched> RankJoining::MatchAll(const char* what, bool again) {
  const auto plan = SharePlan({});
  if (!plan.ok()) return plan.status();
  std::vector<DealtUnit> units;
  for (const std::vector<uint32_t>& nodes : units_) {
    DealtUnit& dealt = units.emplace_back(UnitOf(what, nodes));
    pb::MatchUnit& unit = *dealt.unit.mutable_match();
    *unit.mutable_plan() = *plan;
    unit.mutable_nodes()->Add(nodes.begin(), nodes.end());
    unit.mutable_holders()->Add(holders_.begin(), holders_.end());
    pb::RankKey& result = *unit.mutable_result();
    result.set_recording(plan->recording());
    result.set_stage(kMatchedStage);
    result.set_options(absl::StrCat(nodes.front(), "-", nodes.back()));
    if (!again) continue;
    for (const uint32_t node : nodes) *unit.add_before() = messages_[node];
    absl::StrAppend(result.mutable_options(), " after ", HashOf(unit.before()));
  }
  const auto made = results_.crew().Make(units);
  if (!made.ok()) return made.status();
  Matched all;
  const std::vector<pb::RankKey> before = std::exchange(messages_, {});
  for (size_t i = 0; i < units.size(); ++i) {
    const absl::Status status = results_.UseResult(units[i], (*made)[i], [&](StoredEntry entry) {
      return TakeMatched(units_[i], std::move(entry), again, all);
    });
    if (!status.ok()) return status;
    const pb::RankMade& done = (*made)[i].made;
    if (done.parts_size() != static_cast<int>(units_[i].size()))
      return absl::DataLossError("a match of other nodes");
    const pb::RankKey messages = MessagesKeyOf(done.result());
    for (size_t k = 0; k < units_[i].size(); ++k) {
      const uint32_t node = units_[i][k];
      messages_.push_back(stand_[node] != 0 ? before[node] : MemberOf(messages, node));
      const pb::RankMade& part = done.parts(static_cast<int>(k));
      if (!part.has_timeline()) continue;
      plan_.timelines[node] = part.timeline();
      plan_.facts[node].pseudo_threads = part.node().pseudo_threads();
    }
  }
  std::sort(all.ways.begin(), all.ways.end());
  return all;
}

absl::Status RankJoining::TakeMatched(const std::vector<uint32_t>& nodes, StoredEntry file,
                                      bool again, Matched& all) {
  std::vector<MatchFindings> found;
  for (const uint32_t node : nodes) {
    auto entry = file.Member(absl::StrCat(node));
    if (!entry.ok()) return entry.status();
    auto one = KeptFindingsOf(*entry);
    if (!one.ok()) return one.status();
    found.push_back(*std::move(one));
  }
  // All of them, or none: damaged ones are made again.
  stand_.resize(nodes_.size());
  for (size_t k = 0; k < nodes.size(); ++k) {
    const MatchFindings& one = found[k];
    stand_[nodes[k]] = again && one.messages_stand ? 1 : 0;
    all.flights.insert(all.flights.end(), one.flights.begin(), one.flights.end());
    all.counts.insert(all.counts.end(), one.counts.begin(), one.counts.end());
    all.ways.insert(all.ways.end(), one.ways.begin(), one.ways.end());
  }
  return absl::OkStatus();
}

absl::Status RankJoining::TightenClocks(Matched& matched) {
  TightenByCausality(matched.flights, plan_.bounds, threads_);
  matched = {};  // there are 4,096 flights for each two nodes that talk
  auto again = MatchAll("match again", /*again=*/true);
  if (!again.ok()) return again.status();
  const std::vector<uint64_t> wrong = WrongClocks(again->counts, plan_.bounds);
  if (wrong != std::vector<uint64_t>(wrong.size())) {
    // Once more from the beginning, as wrong bounds have gone into the bounds of others.
    clocks_ = ClocksOf(plan_.facts, wrong);
    plan_.bounds = std::move(clocks_.bounds);
    auto believed = MatchAll("match without wrong clocks", /*again=*/false);
    if (!believed.ok()) return believed.status();
    TightenByCausality(believed->flights, plan_.bounds, threads_);
    *believed = {};
    again = MatchAll("match again without wrong clocks", /*again=*/true);
    if (!again.ok()) return again.status();
  }
  found_.contradictions = ContradictionsByNode(again->counts, nodes_.size());
  for (size_t i = 0; i < wrong.size(); ++i) found_.contradictions[i] += wrong[i];
  matched = *std::move(again);
  return absl::OkStatus();
}

absl::Status RankJoining::MoveAll(std::vector<NodeWay> ways) {
  const auto plan = SharePlan(std::move(ways));
  if (!plan.ok()) return plan.status();
  // Units read the plan for themselves. All clocks of long recordings take tens of megabytes, and
  // nowhere else does a unit need as much beside them.
  std::vector<NodeWay> kept_ways = std::move(plan_.joining.ways);
  plan_.joining = {};
  std::vector<DealtUnit> units;
  for (const std::vector<uint32_t>& nodes : units_) {
    DealtUnit& dealt = units.emplace_back(UnitOf("move", nodes));
    pb::MoveUnit& unit = *dealt.unit.mutable_move();
    *unit.mutable_plan() = *plan;
    unit.mutable_nodes()->Add(nodes.begin(), nodes.end());
    for (const uint32_t node : nodes) *unit.add_messages() = messages_[node];
    pb::RankKey& result = *unit.mutable_result();
    result.set_recording(plan->recording());
    result.set_stage(kMovedStage);
    result.set_options(
        absl::StrCat(nodes.front(), "-", nodes.back(), " by ", HashOf(unit.messages())));
  }
  const auto made = results_.crew().Make(units);
  if (!made.ok()) return made.status();
  FinishPlan(std::move(kept_ways), plan_);
  plan_.moved.clear();
  for (size_t i = 0; i < units_.size(); ++i) {
    const MadeUnit& one = (*made)[i];
    if (absl::Status status = StatusOf(one.made); !status.ok()) return status;
    for (const uint32_t node : units_[i]) {
      plan_.moved.push_back(MemberOf(one.made.result(), node));
      if (!holders_.empty()) holders_[node] = static_cast<uint32_t>(one.rank);
    }
  }
  return absl::OkStatus();
}

}  // namespace gordian
