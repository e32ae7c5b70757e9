// SPDX-License-Identifier: Apache-2.0
// What a node answers about packets that it sent.
#include <netinet/in.h>

#include <algorithm>
#include <utility>

#include "near/node_answers.h"

namespace gordian {
namespace {

// CLOCK_MONOTONIC is far below; sums with slacks do not overflow.
constexpr uint64_t kLastClockNs = uint64_t{1} << 62;

absl::Status TooLate() { return absl::InvalidArgumentError("a question about times that are not"); }

struct AskedTraffic {
  std::vector<SentPacket> sent;
  std::vector<ReceivedPacket> received;
  std::vector<Arrival> arrivals;
};

// Who asks is node 1 here, and this node 0: the packets are another node's.
AskedTraffic TrafficOf(const pb::NearSendersQuestion& question, const std::vector<SentPacket>& sent,
                       std::vector<Message>& messages) {
  AskedTraffic flow{.sent = sent};
  for (size_t i = 0; i < messages.size(); ++i) {
    const pb::NearPacket& packet = question.packets(static_cast<int>(i));
    messages[i] = {.to_node = 1, .received_ns = packet.received_clock_ns()};
    messages[i].fate = MessageFate::kNotSent;
    flow.arrivals.push_back({.time_ns = packet.received_clock_ns(),
                             .latest_ns = packet.received_clock_ns() + question.slack_ns(),
                             .sequence = packet.sequence(),
                             .bytes = packet.bytes(),
                             .interface = packet.interface(),
                             .message = &messages[i]});
    flow.received.push_back({.time_ns = packet.received_clock_ns(),
                             .node_time_ns = packet.received_clock_ns(),
                             .node = 1,
                             .sequence = packet.sequence(),
                             .interface = packet.interface(),
                             .bytes = packet.bytes()});
  }
  return flow;
}

bool IsSentByThread(const std::vector<SentPacket>& sent, uint32_t sequence) {
  return std::any_of(sent.begin(), sent.end(), [&](const SentPacket& packet) {
    return packet.sequence == sequence && packet.thread != kNobody;
  });
}

bool IsByThread(const SentPacket& packet) { return packet.thread != kNobody; }

}  // namespace

// By the very search that joins recordings. Here the packets are one other node's.
absl::StatusOr<pb::NearSenders> NodeAnswers::SendersOf(
    const pb::NearSendersQuestion& question) const {
  pb::NearSenders senders;
  const auto sent = node_->sent.find(KeyOfFlow(question.flow()));
  senders.set_is_flow_known(sent != node_->sent.end());
  if (sent == node_->sent.end()) return senders;
  for (const pb::NearPacket& packet : question.packets())
    if (packet.received_clock_ns() > kLastClockNs || question.slack_ns() > kLastClockNs)
      return TooLate();
  senders.set_is_written(std::any_of(sent->second.begin(), sent->second.end(), IsByThread));
  std::vector<Message> messages(static_cast<size_t>(question.packets_size()));
  AskedTraffic asked = TrafficOf(question, sent->second, messages);
  FlowTraffic flow{.tcp = question.flow().protocol() == IPPROTO_TCP,
                   .ipv6 = question.flow().family() == static_cast<uint32_t>(FlowFamily::kIpv6),
                   .sent = asked.sent,
                   .received = asked.received,
                   .arrivals = asked.arrivals};
  ByteNotes notes;
  flow.tcp ? MatchByBytes(flow, notes) : MatchByOrder(flow);
  std::vector<uint64_t> packet_ns(messages.size());
  for (const Arrival& arrival : flow.arrivals)  // in an order of their own
    if (arrival.packet != nullptr)
      packet_ns[static_cast<size_t>(arrival.message - messages.data())] =
          arrival.packet->node_time_ns;
  const Pauses pauses(node_->pauses_of_all, 0);
  for (size_t i = 0; i < messages.size(); ++i) {
    const Message& message = messages[i];
    const pb::NearPacket& packet = question.packets(static_cast<int>(i));
    pb::NearSenders::Sender& sender = *senders.add_senders();
    if (packet.may_be_held_back())
      sender.set_is_sent_by_thread(IsSentByThread(sent->second, packet.sequence()));
    // No message crosses a pause.
    const bool is_across =
        message.fate == MessageFate::kMatched &&
        pauses.NextPause(message.sent_ns, Pauses::kNever) !=
            pauses.NextPause(pauses.RecordedTime(message.received_ns), Pauses::kNever);
    if (is_across) continue;
    sender.set_is_kernel(message.fate == MessageFate::kByKernel);
    sender.set_packet_ns(packet_ns[i]);
    if (message.fate != MessageFate::kMatched) continue;
    sender.set_is_found(true);
    sender.set_thread(message.sender);
    sender.set_sent_ns(message.sent_ns);
    sender.set_by_last_writer(message.by_last_writer);
    sender.set_first_sent_ns(message.first_sent_ns);
    sender.set_is_unsure(!message.sure);
  }
  return senders;
}

absl::StatusOr<pb::NearSenders> NodeAnswers::WritersOf(
    const pb::NearWritersQuestion& question) const {
  pb::NearSenders writers;
  const auto sent = node_->sent.find(KeyOfFlow(question.flow()));
  writers.set_is_flow_known(sent != node_->sent.end());
  if (sent == node_->sent.end()) return writers;
  for (const uint64_t until_ns : question.until_ns()) {
    pb::NearSenders::Sender& writer = *writers.add_senders();
    const auto later = std::partition_point(
        sent->second.begin(), sent->second.end(),
        [&](const SentPacket& packet) { return packet.node_time_ns <= until_ns; });
    const auto last =
        std::find_if(std::make_reverse_iterator(later), sent->second.rend(), IsByThread);
    if (last == sent->second.rend()) continue;
    writer.set_is_found(true);
    writer.set_by_last_writer(true);
    writer.set_thread(last->thread);
    writer.set_sent_ns(last->node_time_ns);
  }
  return writers;
}

}  // namespace gordian
