// SPDX-License-Identifier: Apache-2.0
#include "near/packet_senders.h"

#include <arpa/inet.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "near/near_flows.h"

namespace gordian {
namespace {

std::string AddressText(const std::string& bytes) {
  char text[INET6_ADDRSTRLEN] = "";
  if (bytes.size() == 4) inet_ntop(AF_INET, bytes.data(), text, sizeof(text));
  if (bytes.size() == 16) inet_ntop(AF_INET6, bytes.data(), text, sizeof(text));
  return text;
}

pb::NearQuestion SendersQuestion(const PacketsOfFlow& asked) {
  pb::NearQuestion question;
  pb::NearSendersQuestion& senders = *question.mutable_senders();
  *senders.mutable_flow() = asked.flow;
  senders.set_slack_ns(asked.slack_ns);
  for (const pb::NearPacket* packet : asked.packets) {
    pb::NearPacket& one = *senders.add_packets();
    one.set_received_ns(packet->received_ns());
    one.set_received_clock_ns(packet->received_clock_ns());
    one.set_sequence(packet->sequence());
    one.set_bytes(packet->bytes());
    one.set_interface(packet->interface());
    one.set_may_be_held_back(packet->may_be_held_back());
  }
  return question;
}

}  // namespace

std::vector<PacketSender> PacketSenders::Find(const PacketsOfFlow& asked) {
  Search search{.asked = asked,
                .question = SendersQuestion(asked),
                .flow = KeyOfFlow(asked.flow),
                .best = std::vector<Best>(asked.packets.size())};
  const std::string source = AddressText(asked.flow.source());
  for (size_t node = 0; node < addresses_.size(); ++node)
    if (addresses_[node].contains(source)) AskNode(node, search);
  const bool all_found = std::all_of(search.best.begin(), search.best.end(),
                                     [](const Best& best) { return best.is_by_thread; });
  for (size_t node = 0; node < addresses_.size() && !all_found; ++node)
    if (!addresses_[node].contains(source)) AskNode(node, search);
  AskWriters(search);
  std::vector<PacketSender> senders;
  senders.reserve(search.best.size());
  for (size_t i = 0; i < search.best.size(); ++i)
    senders.push_back(SenderOf(search.best[i], *asked.packets[i], search));
  return senders;
}

void PacketSenders::AskNode(size_t node, Search& search) {
  std::set<size_t>& ignorant = ignorant_[search.flow];
  if (ignorant.contains(node)) return;
  const auto answer = ask_(node, search.question);
  if (!answer) {
    search.is_any_away = true;
    return;
  }
  const pb::NearSenders& told = answer->senders();
  if (!told.is_flow_known()) {
    ignorant.insert(node);
    return;
  }
  if (told.senders_size() != static_cast<int>(search.best.size())) return;
  search.is_known = true;
  if (told.is_written()) search.writers.push_back(node);
  for (size_t i = 0; i < search.best.size(); ++i)
    Take(told.senders(static_cast<int>(i)), node, i, search);
}

// As ByteMatcher ranks them.
void PacketSenders::Take(const pb::NearSenders::Sender& told, size_t node, size_t packet,
                         Search& search) {
  Best& best = search.best[packet];
  best.is_sent_by_thread |= told.is_sent_by_thread();
  if (told.packet_ns() == 0) return;
  const size_t receiver = search.asked.receiver;
  const bool is_by_thread = told.is_found() && !told.by_last_writer();
  const bool is_better =
      !best.is_sent || std::tuple(is_by_thread, node == receiver, told.packet_ns()) >
                           std::tuple(best.is_by_thread, best.node == receiver, best.packet_ns);
  if (!is_better) return;
  best.is_sent = true;
  best.is_by_thread = is_by_thread;
  best.node = node;
  best.packet_ns = told.packet_ns();
  best.told = told;
}

// Of packets that only kernels sent: who wrote to the flow last, on all nodes that wrote to it.
void PacketSenders::AskWriters(Search& search) {
  pb::NearQuestion question;
  pb::NearWritersQuestion& writers = *question.mutable_writers();
  *writers.mutable_flow() = search.asked.flow;
  std::vector<size_t> packets;
  for (size_t i = 0; i < search.best.size(); ++i) {
    const Best& best = search.best[i];
    // The node with the packet has told of its own writer already.
    const bool is_told = search.writers.empty() ||
                         (search.writers.size() == 1 && search.writers.front() == best.node);
    if (!best.is_sent || best.is_by_thread || is_told) continue;
    writers.add_until_ns(best.packet_ns);
    packets.push_back(i);
  }
  if (packets.empty()) return;
  std::vector<std::pair<uint64_t, size_t>> latest(packets.size());  // and its node
  std::vector<EntityId> threads(packets.size(), kNobody);
  for (const size_t node : search.writers) {
    const auto answer = ask_(node, question);
    if (!answer) {
      search.is_any_away = true;
      continue;
    }
    const pb::NearSenders& told = answer->senders();
    if (told.senders_size() != static_cast<int>(packets.size())) continue;
    for (size_t i = 0; i < packets.size(); ++i) {
      const pb::NearSenders::Sender& sender = told.senders(static_cast<int>(i));
      const bool is_before = sender.sent_ns() <= search.best[packets[i]].packet_ns;
      if (!sender.is_found() || !is_before || sender.sent_ns() < latest[i].first) continue;
      latest[i] = {sender.sent_ns(), node};
      threads[i] = sender.thread();
    }
  }
  for (size_t i = 0; i < packets.size(); ++i) {
    Best& best = search.best[packets[i]];
    best.told.set_is_found(threads[i] != kNobody);
    best.told.set_by_last_writer(true);
    best.told.set_thread(threads[i]);
    best.told.set_sent_ns(latest[i].first);
    best.node = latest[i].second;
  }
}

PacketSender PacketSenders::SenderOf(const Best& best, const pb::NearPacket& packet,
                                     const Search& search) {
  using Fate = PacketSender::Fate;
  if (packet.may_be_held_back() && !best.is_sent_by_thread && !search.is_any_away)
    return {.fate = Fate::kHeldBack};
  const bool is_found = best.is_sent && best.told.is_found();
  if (is_found && best.told.is_unsure()) return {.fate = Fate::kUnsure};
  // A thread's own packet that came back: the wait was for the network.
  const bool is_own = best.node == search.asked.receiver && best.told.thread() == packet.receiver();
  // The same bytes may have been sent several times: they came behind the first time for sure. If
  // that is later than they came, the clocks are off by as much.
  const uint64_t received_ns = packet.received_ns();
  const uint64_t off_ns =
      best.told.first_sent_ns() > received_ns ? best.told.first_sent_ns() - received_ns : 0;
  const uint64_t most_ns = std::min(off_ns, search.asked.slack_ns);
  const uint64_t latest_ns = received_ns + std::min(most_ns, UINT64_MAX - received_ns);
  if (is_found && !is_own)
    return {.fate = Fate::kSent,
            .node = best.node,
            .thread = best.told.thread(),
            .sent_ns = std::min(best.told.sent_ns(), latest_ns)};
  if (search.is_any_away) return {.fate = Fate::kFromAbsent};
  return {.fate = search.is_known ? Fate::kNotSent : Fate::kFromOutside};
}

}  // namespace gordian
