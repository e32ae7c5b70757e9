// SPDX-License-Identifier: Apache-2.0
#include "near/near_slice.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analyzer/timeline/pauses.h"
#include "near/near_stretches.h"
#include "near/packet_senders.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

// Both ends of gRPC: a request has 64 KiB at most.
constexpr size_t kMostQuestionBytes = 60'000;
// How far back a part goes at first. Short parts repeat little; long ones need fewer questions.
constexpr uint64_t kFirstPartNs = 10'000'000;
constexpr uint64_t kShortestPartNs = 10'000;
constexpr uint64_t kLongestPartNs = 10'000'000'000;
constexpr uint32_t kStretchesAsked = 20'000;
constexpr uint32_t kFewStretches = 2'000;
constexpr size_t kMostPacketsAsked = 800;

constexpr char kCollectInstead[] =
    "gordian collect, then gordian slice on the folder, finds it (or gordian-mpi, where it lies)";

// An entry that is not swept yet. Higher moments first.
struct Pending {
  uint64_t at_ns = 0;
  EntityId thread = kNobody;
  bool by_turn = false;
  CauseEdge edge = CauseEdge::kMessage;
  bool operator<(const Pending& other) const {
    return std::tie(other.at_ns, thread, by_turn) < std::tie(at_ns, other.thread, other.by_turn);
  }
};

struct Told {
  bool is_sent = false;
  uint64_t sent_ns = 0;    // for the receiver: not after it came
  uint64_t sender_ns = 0;  // the same moment on the sender's clock: what it did then
  uint64_t woken_ns = 0;
  size_t from_node = 0;
  EntityId sender = kNobody;
  bool is_followed = false;
};

struct NodeState {
  absl::Status away;  // why it does not answer
  pb::NearAbout about;
  bool is_asked = false;
  std::set<Pending> pending;
  NearStretches stretches;
  std::map<uint32_t, Told> told;                                 // by message
  std::map<std::pair<EntityId, uint64_t>, uint32_t> message_of;  // by receiver and its wake
  std::set<std::pair<uint64_t, EntityId>> asleep;
  uint64_t part_ns = kFirstPartNs;
};

class SliceAsker {
 public:
  SliceAsker(const NearNodes& nodes, const NearSliceQuestion& question)
      : nodes_(nodes),
        question_(question),
        states_(nodes.names.size()),
        senders_(nodes.names.size(), [this](size_t node, const pb::NearQuestion& asked) {
          return AskOfAny(node, asked);
        }) {}

  absl::StatusOr<NearSlice> Run() {
    if (absl::Status status = AskAbout(); !status.ok()) return status;
    if (absl::Status status = Begin(); !status.ok()) return status;
    for (size_t node = Highest(); node < states_.size(); node = Highest()) {
      if (slice_.costs.questions >= question_.most_questions) {
        Note(absl::StrCat("it ends after ", slice_.costs.questions, " questions; ",
                          kCollectInstead));
        break;
      }
      Sweep(node);
    }
    AddUp();
    return std::move(slice_);
  }

 private:
  // Whoever does not know the pauses of all nodes is told, and asked again.
  absl::StatusOr<pb::NearAnswer> Ask(size_t node, pb::NearQuestion question) {
    question.set_pauses_key(pauses_.key());
    for (bool is_again = false;; is_again = true) {
      auto answer = AskOnce(node, question);
      const bool needs_pauses =
          answer.ok() && answer->has_error() && answer->error().needs_pauses() && !is_again;
      if (needs_pauses) {
        pb::NearQuestion telling;
        *telling.mutable_pauses() = pauses_;
        if (const auto told = AskOnce(node, telling); !told.ok()) return told.status();
        continue;
      }
      if (answer.ok() && answer->has_error())
        return absl::Status(static_cast<absl::StatusCode>(answer->error().code()),
                            InOneCleanLine(answer->error().message()));
      return answer;
    }
  }
  absl::StatusOr<pb::NearAnswer> AskOnce(size_t node, const pb::NearQuestion& question) {
    ++slice_.costs.questions;
    slice_.costs.asked_bytes += question.ByteSizeLong();
    auto answer = nodes_.ask(node, question);
    if (answer.ok()) slice_.costs.answered_bytes += answer->ByteSizeLong();
    return answer;
  }
  static std::string InOneCleanLine(const std::string& text) { return CleanText(text); }

  void SetAway(size_t node, const absl::Status& why) {
    states_[node].away = why;
    states_[node].pending.clear();
    Note(absl::StrCat(nodes_.names[node],
                      " does not answer, so nothing goes on there: ", why.message()));
  }
  void Note(std::string line) {
    if (std::find(slice_.notes.begin(), slice_.notes.end(), line) == slice_.notes.end())
      slice_.notes.push_back(std::move(line));
  }

  absl::Status AskAbout() {
    absl::Status first_failure;
    const NodeState* known = nullptr;
    pb::NearQuestion question;
    question.mutable_about();
    for (size_t node = 0; node < states_.size(); ++node) {
      if (node < nodes_.hosts.size()) senders_.AddAddress(node, nodes_.hosts[node]);
      auto answer = Ask(node, question);
      NodeState& state = states_[node];
      if (answer.ok() && !answer->has_about())
        answer = absl::DataLossError("it answered something else than it was asked");
      if (!answer.ok()) {
        first_failure.Update(answer.status());
        SetAway(node, answer.status());
        continue;
      }
      state.about = answer->about();
      for (const std::string& address : state.about.addresses()) senders_.AddAddress(node, address);
      slice_.costs.collecting_bytes += state.about.bytes();
      if (known == nullptr) known = &state;
      const bool is_comparable =
          state.about.is_clock_measured() && state.about.reference() == known->about.reference() &&
          state.about.reference_boot_id() == known->about.reference_boot_id();
      if (states_.size() > 1 && !is_comparable)
        return absl::FailedPreconditionError(
            absl::StrCat(nodes_.names[node], " did not measure its clock against that of ",
                         CleanText(known->about.reference()),
                         ", as a session of gordian start --nodes does; ", kCollectInstead));
      widest_bound_ns_ = std::max(widest_bound_ns_, state.about.clock_bound_ns());
    }
    return known == nullptr ? first_failure : JoinPauses();
  }

  // As nodes/joint_time.h joins them. All times are without them from then on.
  absl::Status JoinPauses() {
    std::vector<std::pair<uint64_t, uint64_t>> stretches;
    for (const NodeState& state : states_) {
      const pb::NearPauses& own = state.about.pauses();
      for (int i = 0; i < std::min(own.from_ns_size(), own.length_ns_size()); ++i)
        stretches.emplace_back(own.from_ns(i), own.from_ns(i) + own.length_ns(i));
    }
    std::sort(stretches.begin(), stretches.end());
    pb::Session joint;
    for (const auto& [from_ns, to_ns] : stretches) {
      pb::Pause* const last =
          joint.pauses().empty() ? nullptr : joint.mutable_pauses(joint.pauses_size() - 1);
      if (last != nullptr && from_ns <= last->to_ns()) {
        last->set_to_ns(std::max(last->to_ns(), to_ns));
        continue;
      }
      joint.add_pauses()->set_from_ns(from_ns);
      joint.mutable_pauses(joint.pauses_size() - 1)->set_to_ns(to_ns);
    }
    for (const pb::Pause& pause : joint.pauses()) {
      pauses_.add_from_ns(pause.from_ns());
      pauses_.add_length_ns(pause.to_ns() - pause.from_ns());
    }
    if (!stretches.empty())
      pauses_.set_key(std::hash<std::string>()(pauses_.SerializeAsString()) | 1);
    if (pauses_.ByteSizeLong() > kMostQuestionBytes)
      return absl::ResourceExhaustedError(absl::StrCat(
          "the nodes paused too often for a question to tell all of it; ", kCollectInstead));
    const Pauses pauses(joint, 0);
    for (const NodeState& state : states_)
      if (state.away.ok())
        from_ns_ = std::min(from_ns_, pauses.RecordedTime(state.about.start_ns()));
    return absl::OkStatus();
  }

  // The thread that is asked about.
  absl::Status Begin() {
    pb::NearQuestion question;
    question.mutable_thread()->set_thread(question_.thread);
    if (question_.at_ns) question.mutable_thread()->set_at_ns(from_ns_ + *question_.at_ns);
    std::vector<std::string> labels;
    size_t node_of = 0;
    pb::NearThread found;
    for (size_t node = 0; node < states_.size(); ++node) {
      const bool is_meant = question_.node.empty() || question_.node == nodes_.names[node];
      if (!is_meant) continue;
      if (!states_[node].away.ok()) {
        if (!question_.node.empty()) return states_[node].away;
        continue;
      }
      states_[node].is_asked = true;
      const auto answer = Ask(node, question);
      if (!answer.ok()) {
        if (!question_.node.empty()) return answer.status();
        SetAway(node, answer.status());
        continue;
      }
      if (answer->thread().found().empty()) continue;
      node_of = node;
      found = answer->thread();
      labels.insert(labels.end(), found.labels().begin(), found.labels().end());
    }
    if (labels.empty())
      return absl::NotFoundError(absl::StrCat("no thread ", CleanText(question_.thread),
                                              " lives then on the nodes that answer"));
    if (labels.size() > 1) {
      constexpr size_t kMostNamed = 5;
      const bool are_more = labels.size() > kMostNamed;
      if (are_more) labels.resize(kMostNamed);
      return absl::InvalidArgumentError(
          absl::StrCat("--thread ", CleanText(question_.thread),
                       " means several threads: tell the number, the node or the time of one (",
                       CleanText(absl::StrJoin(labels, ", ")), are_more ? ", …)" : ")"));
    }
    const uint64_t at_ns = question_.at_ns ? from_ns_ + *question_.at_ns : found.end_ns();
    if (at_ns <= from_ns_) return absl::InvalidArgumentError("nothing lies before that moment");
    slice_.told.set_thread(CleanText(labels.front()));
    slice_.told.set_at_ns(at_ns - from_ns_);
    slice_.told.set_scope(std::string(kCausalScopeNames[static_cast<size_t>(question_.scope)]));
    states_[node_of].pending.insert({.at_ns = at_ns, .thread = found.found(0)});
    begin_node_ = node_of;
    begin_ns_ = at_ns;
    begin_thread_ = found.found(0);
    return absl::OkStatus();
  }

  // The node that has the latest moment to go on from.
  size_t Highest() const {
    size_t highest = states_.size();
    for (size_t node = 0; node < states_.size(); ++node) {
      if (states_[node].pending.empty()) continue;
      if (highest == states_.size() ||
          states_[node].pending.begin()->at_ns > states_[highest].pending.begin()->at_ns)
        highest = node;
    }
    return highest;
  }

  void Sweep(size_t node) {
    NodeState& state = states_[node];
    state.is_asked = true;
    const uint64_t top_ns = state.pending.begin()->at_ns;
    uint64_t from_ns = top_ns - from_ns_ > state.part_ns ? top_ns - state.part_ns : from_ns_;
    pb::NearQuestion question;
    while (true) {
      question = PartQuestion(state, from_ns);
      const bool is_short = top_ns - from_ns <= kShortestPartNs;
      if (question.ByteSizeLong() <= kMostQuestionBytes || is_short) break;
      from_ns = top_ns - (top_ns - from_ns) / 2;
    }
    const auto answer = Ask(node, question);
    if (!answer.ok()) return SetAway(node, answer.status());
    const pb::NearPart& part = answer->part();
    if (part.is_within_wait()) {
      const size_t known = state.told.size();
      FindSenders(node, part);
      if (state.told.size() == known)
        SetAway(node, absl::DataLossError("it asks for what it was told already"));
      return;
    }
    if (part.is_cut_off()) {
      if (state.part_ns <= kShortestPartNs)
        return SetAway(node, absl::ResourceExhaustedError(absl::StrCat(
                                 "too much happens at once there; ", kCollectInstead)));
      state.part_ns = std::max(kShortestPartNs, (top_ns - from_ns) / 2);
      return;
    }
    for (const pb::NearEntry& entry : question.part().entries())
      state.pending.erase(PendingOf(entry));
    Take(node, part);
    if (part.stretches_size() < static_cast<int>(kFewStretches))
      state.part_ns = std::min(2 * state.part_ns, kLongestPartNs);
  }

  static Pending PendingOf(const pb::NearEntry& entry) {
    return {.at_ns = entry.at_ns(),
            .thread = entry.thread(),
            .by_turn = entry.by_turn(),
            .edge = static_cast<CauseEdge>(entry.edge())};
  }

  pb::NearQuestion PartQuestion(const NodeState& state, uint64_t from_ns) const {
    pb::NearQuestion question;
    pb::NearPartQuestion& part = *question.mutable_part();
    part.set_scope(static_cast<uint32_t>(question_.scope));
    part.set_edge_kinds(question_.edge_kinds);
    part.set_from_ns(from_ns);
    part.set_is_lowest(from_ns == from_ns_);
    part.set_most_stretches(kStretchesAsked);
    const uint64_t top_ns = state.pending.begin()->at_ns;
    for (const Pending& pending : state.pending) {
      if (pending.at_ns < from_ns) break;
      pb::NearEntry& entry = *part.add_entries();
      entry.set_thread(pending.thread);
      entry.set_at_ns(pending.at_ns);
      entry.set_by_turn(pending.by_turn);
      entry.set_edge(static_cast<uint32_t>(pending.edge));
    }
    // Those in that time, and those of waits within which entries lie.
    std::set<uint32_t> needed;
    for (const pb::NearEntry& entry : part.entries()) {
      const auto next = state.message_of.lower_bound({entry.thread(), entry.at_ns()});
      if (next != state.message_of.end() && next->first.first == entry.thread())
        needed.insert(next->second);
    }
    for (const auto& [number, told] : state.told) {
      const auto is_within = [&](uint64_t time_ns) {
        return from_ns <= time_ns && time_ns <= top_ns;
      };
      if (is_within(told.woken_ns) || (told.is_sent && is_within(told.sent_ns)))
        needed.insert(number);
    }
    for (const uint32_t number : needed) {
      const Told& told = state.told.at(number);
      pb::NearToldMessage& message = *part.add_told();
      message.set_number(number);
      message.set_is_sent(told.is_sent);
      message.set_sent_ns(told.sent_ns);
    }
    return question;
  }

  void Take(size_t node, const pb::NearPart& part) {
    NodeState& state = states_[node];
    for (const pb::NearPart::Stretch& stretch : part.stretches())
      state.stretches.Add(stretch.thread(), stretch.from_ns(),
                          stretch.from_ns() + stretch.length_ns(),
                          static_cast<CauseEdge>(stretch.edge() % kCauseEdges));
    for (const pb::NearEntry& entry : part.asleep())
      state.asleep.emplace(entry.at_ns(), entry.thread());
    for (const pb::NearEntry& entry : part.left_off()) {
      const Pending pending = PendingOf(entry);
      const bool goes_on = entry.by_turn()
                               ? left_off_.emplace(node, pending.at_ns, pending.thread).second
                               : !state.stretches.HoldsBefore(pending.thread, pending.at_ns);
      if (goes_on && pending.at_ns > from_ns_) state.pending.insert(pending);
    }
    for (const uint32_t number : part.reached()) Follow(node, number);
    FindSenders(node, part);
  }

  // The slice goes on where that message was sent.
  void Follow(size_t node, uint32_t number) {
    const auto told = states_[node].told.find(number);
    if (told == states_[node].told.end() || told->second.is_followed || !told->second.is_sent)
      return;
    told->second.is_followed = true;
    NodeState& from = states_[told->second.from_node];
    if (!from.away.ok() || told->second.sender_ns <= from_ns_) return;
    from.pending.insert(
        {.at_ns = told->second.sender_ns, .thread = told->second.sender, .by_turn = true});
  }

  void FindSenders(size_t node, const pb::NearPart& part) {
    std::map<uint32_t, std::vector<const pb::NearPacket*>> by_flow;
    for (const pb::NearPacket& packet : part.wanted()) {
      if (packet.flow() < static_cast<uint32_t>(part.flows_size()) &&
          !states_[node].told.contains(packet.number()))
        by_flow[packet.flow()].push_back(&packet);
    }
    for (auto& [flow, packets] : by_flow) {
      std::sort(packets.begin(), packets.end(), [](const auto* a, const auto* b) {
        return std::tuple(a->received_ns(), a->number()) <
               std::tuple(b->received_ns(), b->number());
      });
      for (size_t first = 0; first < packets.size(); first += kMostPacketsAsked) {
        const size_t count = std::min(kMostPacketsAsked, packets.size() - first);
        AskSenders(node, part.flows(static_cast<int>(flow)),
                   std::span<const pb::NearPacket* const>(packets).subspan(first, count));
      }
    }
    // The threads whose waits these were go on from there.
    for (const pb::NearPacket& packet : part.wanted()) {
      const bool is_in =
          states_[node].stretches.HoldsBefore(packet.receiver(), packet.woken_ns() + 1);
      if (is_in && resumed_.emplace(node, packet.number()).second)
        states_[node].pending.insert({.at_ns = packet.woken_ns() + 1, .thread = packet.receiver()});
    }
  }

  // Nothing if that node does not answer, now or before.
  std::optional<pb::NearAnswer> AskOfAny(size_t node, const pb::NearQuestion& question) {
    NodeState& state = states_[node];
    if (!state.away.ok()) return std::nullopt;
    state.is_asked = true;
    auto answer = Ask(node, question);
    if (answer.ok()) return *std::move(answer);
    SetAway(node, answer.status());
    return std::nullopt;
  }

  void AskSenders(size_t node, const pb::NearFlow& flow,
                  std::span<const pb::NearPacket* const> packets) {
    const auto senders =
        senders_.Find({.receiver = node,
                       .flow = flow,
                       .packets = packets,
                       .slack_ns = states_[node].about.clock_bound_ns() + widest_bound_ns_});
    for (size_t i = 0; i < packets.size(); ++i) {
      const pb::NearPacket& packet = *packets[i];
      fates_[static_cast<size_t>(senders[i].fate)].emplace(node, packet.number());
      NodeState& state = states_[node];
      state.told.emplace(
          packet.number(),
          Told{.is_sent = senders[i].fate == PacketSender::Fate::kSent,
               .sent_ns = std::min({senders[i].sent_ns, packet.received_ns(), packet.woken_ns()}),
               .sender_ns = senders[i].sent_ns,
               .woken_ns = packet.woken_ns(),
               .from_node = senders[i].node,
               .sender = senders[i].thread});
      state.message_of.emplace(std::pair(packet.receiver(), packet.woken_ns()), packet.number());
    }
  }

  void AddUp();
  void TellSums(size_t node, const std::vector<NearStretches::Stretch>& stretches);
  void TellCounts();

  using Packets = std::set<std::pair<size_t, uint32_t>>;  // node, message
  uint64_t CountReached(const Packets& packets) const;

  const NearNodes& nodes_;
  const NearSliceQuestion& question_;
  std::vector<NodeState> states_;
  pb::NearPauses pauses_;
  uint64_t from_ns_ = UINT64_MAX;
  uint64_t widest_bound_ns_ = 0;
  size_t begin_node_ = 0;
  EntityId begin_thread_ = kNobody;
  uint64_t begin_ns_ = 0;
  absl::flat_hash_set<std::tuple<size_t, uint64_t, EntityId>> left_off_;
  Packets resumed_;
  std::array<Packets, kPacketFates> fates_;
  PacketSenders senders_;
  std::array<uint64_t, kCauseEdges> edges_ = {};
  std::map<std::string, pb::SliceRow> rows_;
  NearSlice slice_;
};

void AddRow(const pb::SliceRow& row, pb::SliceRow& sum) {
  sum.set_name(row.name());
  sum.set_stretches(sum.stretches() + row.stretches());
  sum.set_threads(sum.threads() + row.threads());
  pb::SliceTimes& times = *sum.mutable_times();
  times.set_run_ns(times.run_ns() + row.times().run_ns());
  times.set_ready_ns(times.ready_ns() + row.times().ready_ns());
  times.set_wait_ns(times.wait_ns() + row.times().wait_ns());
  times.set_unknown_ns(times.unknown_ns() + row.times().unknown_ns());
}

void SliceAsker::AddUp() {
  uint64_t first_ns = begin_ns_;
  for (size_t node = 0; node < states_.size(); ++node) {
    const auto stretches = states_[node].stretches.All();
    for (const NearStretches::Stretch& stretch : stretches) {
      slice_.stretches.push_back({node, stretch.thread, stretch.from_ns, stretch.to_ns});
      first_ns = std::min(first_ns, stretch.from_ns);
      const bool is_first =
          node == begin_node_ && stretch.thread == begin_thread_ && stretch.to_ns == begin_ns_;
      if (!is_first) ++edges_[static_cast<size_t>(stretch.edge)];
    }
    TellSums(node, stretches);
    if (states_[node].is_asked) slice_.costs.asked_nodes.push_back(nodes_.names[node]);
  }
  pb::Slice& told = slice_.told;
  told.set_from_ns(first_ns - from_ns_);
  told.set_to_ns(begin_ns_ - from_ns_);
  told.set_by(std::string(kSliceByNames[static_cast<size_t>(question_.by)]));
  for (auto& [name, row] : rows_) *told.add_rows() = std::move(row);
  std::sort(told.mutable_rows()->begin(), told.mutable_rows()->end(),
            [](const pb::SliceRow& a, const pb::SliceRow& b) {
              const uint64_t a_ns = TimeOf(a.times());
              const uint64_t b_ns = TimeOf(b.times());
              return a_ns != b_ns ? a_ns > b_ns : a.name() < b.name();
            });
  TellCounts();
}

// In pieces that fit into a question. A piece that goes on with a thread of the one before holds
// that thread alone: so its rows count no other thread, and not that one again.
void SliceAsker::TellSums(size_t node, const std::vector<NearStretches::Stretch>& stretches) {
  constexpr size_t kMostSummed = 2'500;
  for (size_t first = 0; first < stretches.size();) {
    const bool goes_on = first > 0 && stretches[first].thread == stretches[first - 1].thread;
    pb::NearQuestion question;
    pb::NearSumsQuestion& sums = *question.mutable_sums();
    sums.set_by(static_cast<uint32_t>(question_.by));
    sums.set_scope(static_cast<uint32_t>(question_.scope));
    size_t end = first;
    for (; end < stretches.size() && end - first < kMostSummed; ++end) {
      if (goes_on && stretches[end].thread != stretches[first].thread) break;
      pb::NearPart::Stretch& stretch = *sums.add_stretches();
      stretch.set_thread(stretches[end].thread);
      stretch.set_from_ns(stretches[end].from_ns);
      stretch.set_length_ns(stretches[end].to_ns - stretches[end].from_ns);
    }
    const auto answer = Ask(node, question);
    if (!answer.ok()) {
      Note(absl::StrCat(nodes_.names[node],
                        " did not tell what its part adds up to: ", answer.status().message()));
      return;
    }
    for (pb::SliceRow row : answer->sums().rows()) {
      pb::SliceRow& sum = rows_[row.name()];
      if (goes_on && sum.threads() > 0) row.set_threads(0);
      AddRow(row, sum);
    }
    pb::SliceRow all = answer->sums().all();
    if (goes_on) all.set_threads(0);
    AddRow(all, *slice_.told.mutable_all());
    first = end;
  }
}

// Of those that the slice came to.
uint64_t SliceAsker::CountReached(const Packets& packets) const {
  return static_cast<uint64_t>(std::count_if(
      packets.begin(), packets.end(), [&](const auto& one) { return resumed_.contains(one); }));
}

void SliceAsker::TellCounts() {
  const auto add = [](const std::string& name, uint64_t value, auto& counts) {
    if (value == 0) return;
    pb::SliceCount& count = *counts.Add();
    count.set_name(name);
    count.set_value(value);
  };
  for (size_t kind = 0; kind < kCauseEdges; ++kind)
    add(std::string(kCauseEdgeNames[kind]), edges_[kind], *slice_.told.mutable_edges());
  uint64_t asleep = 0;
  for (const NodeState& state : states_) asleep += state.asleep.size();
  auto& counters = *slice_.told.mutable_counters();
  add("causes_asleep", asleep, counters);
  const auto tell = [&](const char* name, PacketSender::Fate fate, const char* why) {
    const uint64_t count = CountReached(fates_[static_cast<size_t>(fate)]);
    add(name, count, counters);
    if (count > 0) Note(absl::StrCat(count, count == 1 ? " packet " : " packets ", why));
  };
  using Fate = PacketSender::Fate;
  tell("packets_of_absent_nodes", Fate::kFromAbsent,
       "may have come from a node that does not answer");
  tell("packets_from_outside", Fate::kFromOutside,
       "came from machines that were not asked, or that have no recording");
  tell("packets_without_sender", Fate::kNotSent,
       "have no known sender: their kernel sent them, or the sending was not recorded");
  tell("packets_held_back", Fate::kHeldBack,
       "were held back by the sender's kernel until an acknowledgement came");
  tell("packets_unsure", Fate::kUnsure,
       "are datagrams of several that were under way, so it is not known who sent which");
}

}  // namespace

absl::StatusOr<NearSlice> SliceAcross(const NearNodes& nodes, const NearSliceQuestion& question) {
  return SliceAsker(nodes, question).Run();
}

}  // namespace gordian
