// SPDX-License-Identifier: Apache-2.0
#include "mpi/join_units.h"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analysis/recording.h"
#include "analyzer/kept/kept_timeline.h"
#include "analyzer/kept/segments_keeper.h"
#include "nodes/held_back.h"
#include "nodes/joining_steps.h"
#include "nodes/messages.h"

namespace gordian {
namespace {

constexpr char kMessagesStage[] = "mpi-messages";
constexpr char kMarkedStage[] = "mpi-marked";
constexpr char kMessagesSection[] = "messages";
constexpr char kFlightsSection[] = "flights";
constexpr char kCountsSection[] = "counts";
constexpr char kWaysSection[] = "ways";
constexpr char kStandSection[] = "messages stand";  // without content
constexpr char kMadeSection[] = "made";
// Of a part of the joined timeline, beside the timeline's own.
constexpr char kLinksSection[] = "part's links";
constexpr char kWaitsSection[] = "part's waits";
constexpr char kStackIdsSection[] = "part's stacks";
constexpr char kObjectsSection[] = "part's objects";

struct KeptPartStack {
  uint32_t node_id = 0;
  uint32_t part_id = 0;
};

template <typename Value>
absl::Status TakeColumn(StoredEntry& entry, const char* section, std::vector<Value>& values) {
  const auto column = entry.Column<Value>(section);
  if (!column.ok()) return column.status();
  values.assign(column->begin(), column->end());
  return absl::OkStatus();
}

void KeepFindings(const MatchFindings& findings, StoreWriter& writer) {
  writer.AddColumn<ClockFlight>(kFlightsSection, findings.flights);
  writer.AddColumn<WayCount>(kCountsSection, findings.counts);
  writer.AddColumn<NodeWay>(kWaysSection, findings.ways);
  if (findings.messages_stand) writer.AddColumn<char>(kStandSection, {});
}

void KeepMovedNode(const MovedNode& moved, StoreWriter& writer) {
  KeepUnjoinedBesideSegments(moved.timeline, writer);
  writer.AddColumn<NodeLink>(kLinksSection, moved.links);
  writer.AddColumn<MatchedWaits>(kWaitsSection, std::span(&moved.waits, 1));
  std::vector<KeptPartStack> stacks;
  for (const auto& [node_id, part_id] : moved.stack_ids) stacks.push_back({node_id, part_id});
  writer.AddColumn<KeptPartStack>(kStackIdsSection, stacks);
  writer.AddColumn<uint32_t>(kObjectsSection, std::span(&moved.objects, 1));
}

}  // namespace

pb::RankKey MessagesKeyOf(const pb::RankKey& match) {
  pb::RankKey key = match;
  key.set_stage(kMessagesStage);
  return key;
}

absl::StatusOr<MatchFindings> KeptFindingsOf(StoredEntry& entry) {
  MatchFindings findings{.messages_stand = entry.Has(kStandSection)};
  absl::Status status = TakeColumn(entry, kFlightsSection, findings.flights);
  if (status.ok()) status = TakeColumn(entry, kCountsSection, findings.counts);
  if (status.ok()) status = TakeColumn(entry, kWaysSection, findings.ways);
  if (!status.ok()) return status;
  return findings;
}

absl::StatusOr<const RankPlan*> JoinUnits::PlanOf(const pb::RankKey& key) {
  const std::string wanted = key.SerializeAsString();
  if (plan_ != nullptr && plan_key_ == wanted) return plan_.get();
  if (absl::Status status = folder_.Bring(ranks_, 0, key); !status.ok()) return status;
  auto entry = folder_.Find(key);
  if (!entry.ok()) return entry.status();
  auto plan = KeptPlanOf(*entry);
  if (!plan.ok()) return plan.status();
  plan_ = std::make_unique<const RankPlan>(*std::move(plan));
  causality_window_ns_.reset();
  plan_key_ = wanted;
  return plan_.get();
}

uint64_t JoinUnits::CausalityWindowOf(const RankPlan& plan) {
  if (!causality_window_ns_) causality_window_ns_ = CausalityWindowNs(plan.facts, plan.bounds);
  return *causality_window_ns_;
}

void JoinUnits::Forget() {
  plan_.reset();
  plan_key_.clear();
  senders_ = {};
}

absl::Status JoinUnits::OpenSenders(const RankPlan& plan, const pb::MatchUnit& unit) {
  std::string keys;
  for (const pb::RankKey& key : plan.senders)
    absl::StrAppend(&keys, key.recording(), "/", key.member(), ";");
  if (senders_.directory != nullptr && senders_key_ == keys) return absl::OkStatus();
  senders_ = {};
  const ColumnMemory columns = ColumnsWithin(memory_);
  ResultsInARow results(folder_);
  for (size_t node = 0; node < plan.senders.size(); ++node) {
    const pb::RankKey& key = plan.senders[node];
    if (!unit.holders().empty()) {
      const auto holder = static_cast<int>(unit.holders(static_cast<int>(node)));
      if (absl::Status status = folder_.Bring(ranks_, holder, key); !status.ok()) return status;
    }
    auto entry = results.Find(key);
    if (!entry.ok()) return entry.status();
    auto senders = KeptSenders::Of(*std::move(entry), columns);
    if (!senders.ok()) return senders.status();
    senders_.of_node.push_back(*std::move(senders));
  }
  std::vector<const FlowTable*> flows;
  flows.reserve(senders_.of_node.size());
  for (const KeptSenders& senders : senders_.of_node) flows.push_back(&senders.flows());
  senders_.directory = std::make_unique<const FlowDirectory>(flows);
  senders_key_ = keys;
  return absl::OkStatus();
}

// If any wait was for data that a kernel held back, the node's timeline is another one from now on.
absl::Status JoinUnits::MarkHeldBackData(const NodeOfUnit& node, Timeline& timeline,
                                         pb::RankMade& part) const {
  std::deque<Timeline> others;
  const uint64_t marked = MarkHeldBack(timeline, [&](std::span<const uint32_t> flow_ids) {
    std::vector<const Timeline*> found;
    for (const auto& [number, ids] : SameFlowsOf(timeline, flow_ids, *senders_.directory)) {
      others.push_back(
          senders_.of_node[number].TimelineOf(ids, /*with_processes=*/true, node.columns));
      found.push_back(&others.back());
    }
    return found;
  });
  if (marked == 0) return absl::OkStatus();
  pb::RankKey& key = *part.mutable_timeline();
  key.set_recording(node.unit.plan().recording());
  key.set_stage(kMarkedStage);
  key.set_options(absl::StrCat(node.number));
  part.mutable_node()->set_pseudo_threads(static_cast<EntityId>(timeline.entities().size()) -
                                          timeline.thread_count());
  auto writer = folder_.Begin(key, "a node", KeptTimelineBytes(timeline));
  if (!writer.ok()) return writer.status();
  KeepUnjoinedTimeline(timeline, *writer);
  return writer->Commit();
}

absl::StatusOr<Timeline> JoinUnits::TimelineOf(const NodeOfUnit& node) {
  if (absl::Status status = OpenSenders(node.plan, node.unit); !status.ok()) return status;
  auto entry = node.timelines.Find(node.plan.timelines[node.number]);
  if (!entry.ok()) return entry.status();
  return KeptUnjoinedViewOf(*std::move(entry), node.columns);
}

absl::Status JoinUnits::MatchFirst(const NodeOfUnit& node, Matched& matched, pb::RankMade& part) {
  auto timeline = TimelineOf(node);
  if (!timeline.ok()) return timeline.status();
  if (absl::Status status = MarkHeldBackData(node, *timeline, part); !status.ok()) return status;
  const RankPlan& plan = node.plan;
  matched.messages =
      MatchNode({plan, node.number, *timeline, senders_, threads_, memory_}, node.columns);
  if (AnyBound(plan.joining))
    matched.findings.flights =
        ShortestFlights(matched.messages, plan.facts, plan.bounds, CausalityWindowOf(plan));
  matched.findings.ways = WaysOf(matched.messages);
  return absl::OkStatus();
}

// Where no match depends on clocks, which is usual, what was matched is read once.
absl::Status JoinUnits::MatchAgain(NodeOfUnit node, Matched& matched) {
  auto found = node.earlier.Find(*node.before);
  if (!found.ok()) return found.status();
  const auto entry = std::make_shared<StoredEntry>(*std::move(found));
  const auto before = entry->Column<Message>(kMessagesSection);
  if (!before.ok()) return before.status();
  // Their pages are given back like those of columns.
  node.columns.Adopt(entry->Mapped(), entry);
  const RankPlan& plan = node.plan;
  MatchFindings& findings = matched.findings;
  findings.counts = CountContradictions(*before, plan.facts, plan.bounds);
  findings.messages_stand =
      std::none_of(before->begin(), before->end(),
                   [](const Message& message) { return message.depends_on_clocks; });
  if (findings.messages_stand) {
    findings.ways = WaysOf(*before);
    return absl::OkStatus();
  }
  const auto timeline = TimelineOf(node);
  if (!timeline.ok()) return timeline.status();
  if (before->size() != timeline->packet_wakes().size())
    return absl::DataLossError("kept messages are not those of the node");
  Column<Message>& messages = matched.messages;
  messages.Append(*before);
  MatchNodeAgain({plan, node.number, *timeline, senders_, threads_, memory_},
                 {messages.begin(), messages.end()});
  findings.ways = WaysOf(messages);
  return absl::OkStatus();
}

template <typename Unit>
absl::StatusOr<const RankPlan*> JoinUnits::PlanFor(const Unit& unit) {
  auto plan = PlanOf(unit.plan());
  if (!plan.ok()) return plan;
  const bool are_known = std::all_of(unit.nodes().begin(), unit.nodes().end(),
                                     [&](uint32_t node) { return node < (*plan)->facts.size(); });
  if (!are_known || unit.nodes().empty()) return absl::InvalidArgumentError("a unit of no node");
  return plan;
}

// All of them, or none.
bool JoinUnits::TakeKept(const pb::MatchUnit& unit, pb::RankMade& made) const {
  const auto file = folder_.Find(unit.result());
  if (!file.ok()) return false;
  std::vector<pb::RankMade> parts;
  bool needs_messages = false;
  for (const uint32_t node : unit.nodes()) {
    auto known = file->Member(absl::StrCat(node));
    if (!known.ok() || !known->Message(kMadeSection, parts.emplace_back()).ok()) return false;
    needs_messages |= !known->Has(kStandSection);
    if (parts.back().has_timeline() && !folder_.Find(parts.back().timeline()).ok()) return false;
  }
  if (needs_messages && !folder_.Find(MessagesKeyOf(unit.result())).ok()) return false;
  made.mutable_parts()->Assign(parts.begin(), parts.end());
  return true;
}

absl::Status JoinUnits::Match(const pb::MatchUnit& unit, pb::RankMade& made) {
  *made.mutable_result() = unit.result();
  if (TakeKept(unit, made)) return absl::OkStatus();
  const auto plan = PlanFor(unit);
  if (!plan.ok()) return plan.status();
  if (!unit.before().empty() && unit.before_size() != unit.nodes_size())
    return absl::InvalidArgumentError("a unit of other nodes");
  auto writer = folder_.Begin(unit.result(), "a match");
  if (!writer.ok()) return writer.status();
  std::optional<StoreWriter> messages;  // of nodes whose messages do not stand
  ResultsInARow timelines(folder_);
  ResultsInARow earlier(folder_);
  for (int i = 0; i < unit.nodes_size(); ++i) {
    const NodeOfUnit node{.unit = unit,
                          .plan = **plan,
                          .number = unit.nodes(i),
                          .before = unit.before().empty() ? nullptr : &unit.before(i),
                          .columns = ColumnsWithin(memory_),
                          .timelines = timelines,
                          .earlier = earlier};
    pb::RankMade& part = *made.add_parts();
    Matched matched{.messages = Column<Message>(node.columns)};
    absl::Status status =
        node.before != nullptr ? MatchAgain(node, matched) : MatchFirst(node, matched, part);
    if (!status.ok()) return status;
    writer->BeginMember(absl::StrCat(node.number));
    writer->AddMessage(kMadeSection, part);
    KeepFindings(matched.findings, *writer);
    if (matched.findings.messages_stand) continue;
    if (!messages) {
      const std::span<const Message> rows = matched.messages;
      auto begun = folder_.Begin(MessagesKeyOf(unit.result()), "messages", rows.size_bytes());
      if (!begun.ok()) return begun.status();
      messages = *std::move(begun);
    }
    messages->BeginMember(absl::StrCat(node.number));
    messages->AddColumn<Message>(kMessagesSection, matched.messages);
  }
  if (messages) {
    if (absl::Status status = messages->Commit(); !status.ok()) return status;
  }
  made.set_is_made(true);
  return writer->Commit();
}

// Its segments are written as they are moved: only those of one window are in memory.
absl::Status JoinUnits::MoveNode(const pb::MoveUnit& unit, int place, const RankPlan& plan,
                                 KeptInputs& inputs, std::optional<StoreWriter>& writer) const {
  const uint32_t number = unit.nodes(place);
  auto entry = inputs.timelines.Find(plan.timelines[number]);
  if (!entry.ok()) return entry.status();
  ColumnMemory columns = ColumnsWithin(memory_);
  auto timeline = KeptUnjoinedTimelineOf(*std::move(entry), columns);
  if (!timeline.ok()) return timeline.status();
  auto found = inputs.messages.Find(unit.messages(place));
  if (!found.ok()) return found.status();
  const auto matched = std::make_shared<StoredEntry>(*std::move(found));
  const auto rows = matched->Column<Message>(kMessagesSection);
  if (!rows.ok()) return rows.status();
  if (rows->size() != timeline->packet_wakes().size())
    return absl::DataLossError("kept messages are not those of the node");
  // Their pages are given back like those of columns.
  columns.Adopt(matched->Mapped(), matched);
  if (!writer) {
    // The others are about as large.
    const auto nodes = static_cast<uint64_t>(unit.nodes_size());
    auto begun = folder_.Begin(unit.result(), "parts", nodes * KeptTimelineBytes(*timeline));
    if (!begun.ok()) return begun.status();
    writer = *std::move(begun);
  }
  writer->BeginMember(absl::StrCat(number));
  SegmentsKeeper keeper(*writer);
  const MovedNode moved =
      TimelineJoiner(plan.joining, number, *rows, threads_, columns)
          .MoveByWindow(*std::move(timeline), [&](const auto& numbers, const auto& pieces) {
            keeper.AddWindow(numbers, pieces);
          });
  keeper.Finish();
  KeepMovedNode(moved, *writer);
  return absl::OkStatus();
}

absl::Status JoinUnits::Move(const pb::MoveUnit& unit, pb::RankMade& made) {
  *made.mutable_result() = unit.result();
  if (folder_.Find(unit.result()).ok()) return absl::OkStatus();
  const auto plan = PlanFor(unit);
  if (!plan.ok()) return plan.status();
  if (unit.messages_size() != unit.nodes_size())
    return absl::InvalidArgumentError("a unit of other nodes");
  std::optional<StoreWriter> writer;
  KeptInputs inputs{.timelines = ResultsInARow(folder_), .messages = ResultsInARow(folder_)};
  for (int i = 0; i < unit.nodes_size(); ++i) {
    if (absl::Status status = MoveNode(unit, i, **plan, inputs, writer); !status.ok())
      return status;
  }
  made.set_is_made(true);
  return writer->Commit();
}

absl::StatusOr<MovedNode> KeptMovedNodeOf(StoredEntry entry, const ColumnMemory& memory,
                                          KeptRows rows) {
  MovedNode part;
  std::vector<MatchedWaits> waits;
  std::vector<KeptPartStack> stacks;
  std::vector<uint32_t> objects;
  absl::Status status = TakeColumn(entry, kLinksSection, part.links);
  if (status.ok()) status = TakeColumn(entry, kWaitsSection, waits);
  if (status.ok()) status = TakeColumn(entry, kStackIdsSection, stacks);
  if (status.ok()) status = TakeColumn(entry, kObjectsSection, objects);
  if (!status.ok()) return status;
  if (waits.size() != 1 || objects.size() != 1)
    return absl::DataLossError("a kept part contradicts itself");
  part.waits = waits.front();
  part.objects = objects.front();
  for (const KeptPartStack& stack : stacks) part.stack_ids[stack.node_id] = stack.part_id;
  auto timeline = KeptUnjoinedViewOf(std::move(entry), memory, rows);
  if (!timeline.ok()) return timeline.status();
  part.timeline = *std::move(timeline);
  return part;
}

absl::StatusOr<JoinedNodes> ComposedOf(const RankPlan& plan, Ranks& ranks, const WorkFolder& folder,
                                       const MemoryOptions& memory,
                                       const std::vector<uint32_t>& holders, KeptRows rows,
                                       const std::optional<std::vector<QuestionCount>>& questions) {
  if (plan.moved.size() != plan.facts.size())
    return absl::DataLossError("the plan of a joined timeline has no parts");
  // All parts share one limit.
  const ColumnMemory columns = ColumnsWithin(memory);
  std::vector<MovedNode> parts;
  ResultsInARow results(folder);
  for (size_t node = 0; node < plan.moved.size(); ++node) {
    if (!holders.empty()) {
      if (absl::Status status =
              folder.Bring(ranks, static_cast<int>(holders[node]), plan.moved[node]);
          !status.ok())
        return status;
    }
    auto entry = results.Find(plan.moved[node]);
    if (!entry.ok()) return entry.status();
    auto part = KeptMovedNodeOf(*std::move(entry), columns, rows);
    if (!part.ok()) return part.status();
    parts.push_back(*std::move(part));
  }
  return TimelineJoiner::Compose(plan.joining, plan.names(), std::move(parts), questions);
}

}  // namespace gordian
