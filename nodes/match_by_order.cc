// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "nodes/flow_traffic.h"
#include "nodes/thresholds.h"

namespace gordian {
namespace {

using Interface = std::pair<uint32_t, uint32_t>;  // node, interface

bool SizesFit(uint32_t sent_bytes, uint32_t received_bytes) {
  return sent_bytes >= received_bytes && sent_bytes - received_bytes <= kLargestInterfaceHeader;
}

// A packet that passes other nodes or interfaces on its way is sent there again. It begins where a
// thread sends it; without such a thread, at the first sender.
std::vector<const SentPacket*> SentAtOrigin(FlowTraffic& flow) {
  std::stable_sort(flow.sent.begin(), flow.sent.end(), [](const auto& a, const auto& b) {
    return std::tie(a.time_ns, a.node) < std::tie(b.time_ns, b.node);
  });
  const auto by_thread =
      std::find_if(flow.sent.begin(), flow.sent.end(),
                   [](const SentPacket& packet) { return packet.thread != kNobody; });
  const SentPacket& first = by_thread != flow.sent.end() ? *by_thread : flow.sent.front();
  const Interface origin{first.node, first.interface};
  std::vector<const SentPacket*> sent;
  for (const SentPacket& packet : flow.sent) {
    if (Interface{packet.node, packet.interface} == origin) sent.push_back(&packet);
  }
  return sent;
}

struct Matched {
  const SentPacket* sent = nullptr;
  bool sure = false;
};

// Takes them in order. A packet that was sent too long before the arrival was lost.
//
// On one node a datagram may have a number (trace/trace_event.h): then it is found by that, and the
// order goes on behind it. Without numbers, the receipt that was not recorded would shift all later
// matches of its size by one, for good.
class OrderMatcher {
 public:
  explicit OrderMatcher(const std::vector<const SentPacket*>& sent) : sent_(sent) {
    for (size_t i = 0; i < sent.size(); ++i) {
      if (sent[i]->sequence != 0) by_number_[sent[i]->sequence].push_back(i);
    }
  }

  Matched Next(const ReceivedPacket& received, uint64_t latest_ns) {
    if (const std::optional<size_t> place = FindNumber(received, latest_ns)) {
      next_ = *place + 1;
      return {sent_[*place], true};
    }
    while (next_ < sent_.size() && sent_[next_]->time_ns + kLongestFlightNs < received.time_ns) {
      ++next_;
    }
    // Sizes tell of packets that were lost in between.
    size_t found = next_;
    while (found < sent_.size() && sent_[found]->time_ns <= latest_ns &&
           !SizesFit(sent_[found]->bytes, received.bytes)) {
      ++found;
    }
    if (found == sent_.size() || sent_[found]->time_ns > latest_ns) return {};
    const bool others_under_way =
        found > next_ || (found + 1 < sent_.size() && sent_[found + 1]->time_ns <= latest_ns);
    next_ = found + 1;
    return {sent_[found], !others_under_way};
  }

 private:
  // The latest before the arrival: numbers are used again once a datagram was taken.
  std::optional<size_t> FindNumber(const ReceivedPacket& received, uint64_t latest_ns) const {
    const auto places =
        received.sequence == 0 ? by_number_.end() : by_number_.find(received.sequence);
    if (places == by_number_.end()) return std::nullopt;
    const auto later =
        std::partition_point(places->second.begin(), places->second.end(),
                             [&](size_t place) { return sent_[place]->time_ns <= latest_ns; });
    if (later == places->second.begin()) return std::nullopt;
    const SentPacket& sent = *sent_[*(later - 1)];
    const bool is_it = sent.node == received.node && SizesFit(sent.bytes, received.bytes) &&
                       sent.time_ns + kLongestFlightNs >= received.time_ns;
    return is_it ? std::optional(*(later - 1)) : std::nullopt;
  }

  const std::vector<const SentPacket*>& sent_;
  absl::flat_hash_map<uint32_t, std::vector<size_t>> by_number_;  // places in `sent`, by time
  size_t next_ = 0;
};

}  // namespace

void MatchByOrder(FlowTraffic& flow) {
  const std::vector<const SentPacket*> sent = SentAtOrigin(flow);
  std::stable_sort(flow.received.begin(), flow.received.end(),
                   [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; });
  // By where they came in: each place sees all of them once.
  std::map<Interface, std::vector<const ReceivedPacket*>> received_at;
  for (const ReceivedPacket& packet : flow.received) {
    received_at[{packet.node, packet.interface}].push_back(&packet);
  }
  // A packet may wake several threads.
  std::map<std::tuple<Interface, uint64_t>, std::vector<Arrival*>> arrivals_of;
  std::map<Interface, uint64_t> slack_at;
  for (Arrival& arrival : flow.arrivals) {
    const Interface place{arrival.message->to_node, arrival.interface};
    arrivals_of[{place, arrival.message->received_ns}].push_back(&arrival);
    slack_at[place] = arrival.latest_ns - arrival.time_ns;
  }
  for (const auto& [place, slack_ns] : slack_at) {
    OrderMatcher matcher(sent);
    for (const ReceivedPacket* packet : received_at[place]) {
      const Matched matched = matcher.Next(*packet, packet->time_ns + slack_ns);
      const auto arrivals = arrivals_of.find({place, packet->node_time_ns});
      if (arrivals == arrivals_of.end()) continue;
      for (Arrival* arrival : arrivals->second) {
        Message& message = *arrival->message;
        message.sure = matched.sure;
        message.depends_on_clocks = true;
        message.fate = MessageFate::kNotSent;
        if (matched.sent == nullptr) continue;
        arrival->packet = matched.sent;
        message.fate =
            matched.sent->thread == kNobody ? MessageFate::kByKernel : MessageFate::kMatched;
        message.from_node = matched.sent->node;
        message.sender = matched.sent->thread;
        message.sent_ns = matched.sent->node_time_ns;
      }
    }
  }
}

}  // namespace gordian
