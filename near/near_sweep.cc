// SPDX-License-Identifier: Apache-2.0
#include "near/near_sweep.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

constexpr uint64_t kShortestPartNs = 10'000;
constexpr uint64_t kLongestPartNs = 10'000'000'000;
constexpr uint32_t kStretchesAsked = 20'000;
constexpr uint32_t kFewStretches = 2'000;
constexpr size_t kMostPacketsAsked = 800;

}  // namespace

NearSweep::NearSweep(NearAsker& asker, const NearSliceQuestion& question)
    : asker_(asker),
      question_(question),
      states_(asker.size()),
      senders_(asker.size(), [&asker](size_t node, const pb::NearQuestion& asked) {
        return asker.AskOfAny(node, asked);
      }) {
  const std::vector<std::string>& hosts = asker.nodes().hosts;
  for (size_t node = 0; node < asker.size(); ++node) {
    if (node < hosts.size()) senders_.AddAddress(node, hosts[node]);
    for (const std::string& address : asker.about(node).addresses())
      senders_.AddAddress(node, address);
  }
}

absl::Status NearSweep::Begin() {
  pb::NearQuestion question;
  question.mutable_thread()->set_thread(question_.thread);
  if (question_.at_ns) question.mutable_thread()->set_at_ns(asker_.from_ns() + *question_.at_ns);
  if (question_.moment) {
    pb::NearThreadQuestion::Moment& moment = *question.mutable_thread()->mutable_moment();
    moment.set_thread(question_.moment->thread);
    moment.set_since_start_ns(question_.moment->since_start_ns);
  }
  std::vector<std::string> labels;
  size_t node_of = 0;
  pb::NearThread found;
  for (size_t node = 0; node < states_.size(); ++node) {
    const bool is_meant = question_.node.empty() || question_.node == asker_.name(node);
    if (!is_meant) continue;
    if (!asker_.away(node).ok()) {
      if (!question_.node.empty()) return asker_.away(node);
      continue;
    }
    asker_.SetAsked(node);
    const auto answer = asker_.Ask(node, question);
    if (!answer.ok()) {
      if (!question_.node.empty()) return answer.status();
      asker_.SetAway(node, answer.status());
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
  uint64_t at_ns = question_.at_ns ? asker_.from_ns() + *question_.at_ns : found.end_ns();
  if (question_.moment) at_ns = found.at_ns();
  if (at_ns <= asker_.from_ns())
    return absl::InvalidArgumentError("nothing lies before that moment");
  states_[node_of].pending.insert({.at_ns = at_ns, .thread = found.found(0)});
  start_ = {.node = node_of,
            .thread = found.found(0),
            .at_ns = at_ns,
            .label = CleanText(labels.front())};
  return absl::OkStatus();
}

void NearSweep::Run() {
  for (size_t node = Highest(); node < states_.size(); node = Highest()) {
    if (asker_.questions() >= question_.most_questions)
      return asker_.Note(
          absl::StrCat("it ends after ", asker_.questions(), " questions; ", kCollectInstead));
    if (question_.stop_asked && question_.stop_asked())
      return asker_.Note(absl::StrCat("it ends, as it takes too long; ", kCollectInstead));
    SweepOn(node);
  }
}

// The node that has the latest moment to go on from.
size_t NearSweep::Highest() const {
  size_t highest = states_.size();
  for (size_t node = 0; node < states_.size(); ++node) {
    if (states_[node].pending.empty() || !asker_.away(node).ok()) continue;
    if (highest == states_.size() ||
        states_[node].pending.begin()->at_ns > states_[highest].pending.begin()->at_ns)
      highest = node;
  }
  return highest;
}

void NearSweep::SweepOn(size_t node) {
  State& state = states_[node];
  asker_.SetAsked(node);
  const uint64_t top_ns = state.pending.begin()->at_ns;
  uint64_t from_ns =
      top_ns - asker_.from_ns() > state.part_ns ? top_ns - state.part_ns : asker_.from_ns();
  pb::NearQuestion question;
  while (true) {
    question = PartQuestion(state, from_ns);
    const bool is_short = top_ns - from_ns <= kShortestPartNs;
    if (question.ByteSizeLong() <= kMostQuestionBytes || is_short) break;
    from_ns = top_ns - (top_ns - from_ns) / 2;
  }
  const auto answer = asker_.Ask(node, question);
  if (!answer.ok()) return asker_.SetAway(node, answer.status());
  const pb::NearPart& part = answer->part();
  if (part.is_within_wait()) {
    const size_t known = state.told.size();
    FindSenders(node, part);
    if (state.told.size() == known)
      asker_.SetAway(node, absl::DataLossError("it asks for what it was told already"));
    return;
  }
  if (part.is_cut_off()) {
    if (state.part_ns <= kShortestPartNs)
      return asker_.SetAway(node, absl::ResourceExhaustedError(absl::StrCat(
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

NearSweep::Pending NearSweep::PendingOf(const pb::NearEntry& entry) {
  return {.at_ns = entry.at_ns(),
          .thread = entry.thread(),
          .by_turn = entry.by_turn(),
          .edge = static_cast<CauseEdge>(entry.edge())};
}

pb::NearQuestion NearSweep::PartQuestion(const State& state, uint64_t from_ns) const {
  pb::NearQuestion question;
  pb::NearPartQuestion& part = *question.mutable_part();
  part.set_scope(static_cast<uint32_t>(question_.scope));
  part.set_edge_kinds(question_.edge_kinds);
  part.set_from_ns(from_ns);
  part.set_is_lowest(from_ns == asker_.from_ns());
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

void NearSweep::Take(size_t node, const pb::NearPart& part) {
  State& state = states_[node];
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
    if (goes_on && pending.at_ns > asker_.from_ns()) state.pending.insert(pending);
  }
  for (const uint32_t number : part.reached()) Follow(node, number);
  FindSenders(node, part);
}

// The slice goes on where that message was sent.
void NearSweep::Follow(size_t node, uint32_t number) {
  const auto told = states_[node].told.find(number);
  if (told == states_[node].told.end() || told->second.is_followed || !told->second.is_sent) return;
  told->second.is_followed = true;
  State& from = states_[told->second.from_node];
  if (!asker_.away(told->second.from_node).ok() || told->second.sender_ns <= asker_.from_ns())
    return;
  from.pending.insert(
      {.at_ns = told->second.sender_ns, .thread = told->second.sender, .by_turn = true});
}

void NearSweep::FindSenders(size_t node, const pb::NearPart& part) {
  std::map<uint32_t, std::vector<const pb::NearPacket*>> by_flow;
  for (const pb::NearPacket& packet : part.wanted()) {
    if (packet.flow() < static_cast<uint32_t>(part.flows_size()) &&
        !states_[node].told.contains(packet.number()))
      by_flow[packet.flow()].push_back(&packet);
  }
  for (auto& [flow, packets] : by_flow) {
    std::sort(packets.begin(), packets.end(), [](const auto* a, const auto* b) {
      return std::tuple(a->received_ns(), a->number()) < std::tuple(b->received_ns(), b->number());
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

void NearSweep::AskSenders(size_t node, const pb::NearFlow& flow,
                           std::span<const pb::NearPacket* const> packets) {
  const auto senders =
      senders_.Find({.receiver = node,
                     .flow = flow,
                     .packets = packets,
                     .slack_ns = asker_.about(node).clock_bound_ns() + asker_.widest_bound_ns()});
  for (size_t i = 0; i < packets.size(); ++i) {
    const pb::NearPacket& packet = *packets[i];
    fates_[static_cast<size_t>(senders[i].fate)].emplace(node, packet.number());
    State& state = states_[node];
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

uint64_t NearSweep::CountAsleep() const {
  uint64_t asleep = 0;
  for (const State& state : states_) asleep += state.asleep.size();
  return asleep;
}

uint64_t NearSweep::CountReached(PacketSender::Fate fate) const {
  const Packets& packets = fates_[static_cast<size_t>(fate)];
  return static_cast<uint64_t>(std::count_if(
      packets.begin(), packets.end(), [&](const auto& one) { return resumed_.contains(one); }));
}

}  // namespace gordian
