// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <limits>
#include <tuple>

#include "nodes/flow_traffic.h"
#include "nodes/thresholds.h"

namespace gordian {
namespace {

// The least that stands before the bytes of a segment: addresses and TCP's own.
constexpr int64_t kLeastHeadersIpv4 = 40;
constexpr int64_t kLeastHeadersIpv6 = 60;
// Ethernet's too, and TCP's timestamps.
constexpr int64_t kUsualHeadersIpv4 = 66;
constexpr int64_t kUsualHeadersIpv6 = 86;
constexpr int64_t kMostHeaders = 160;  // with all options, and an interface's own
// The most packets with a given byte to look at: a flow that only acknowledges sends the same
// number again and again.
constexpr int kMostCandidates = 256;

// The packets of one node in one flow nearly always are in order already.
template <typename Values, typename Before>
void SortUnlessSorted(Values& values, Before before) {
  if (!std::is_sorted(values.begin(), values.end(), before))
    std::sort(values.begin(), values.end(), before);
}

class ByteMatcher {
 public:
  ByteMatcher(FlowTraffic& flow, ByteNotes& notes)
      : flow_(flow),
        numbers_(notes.numbers),
        last_writer_(notes.last_writer),
        by_number_(notes.by_number) {
    numbers_.Clear();
    last_writer_.Clear();
    by_number_.Clear();
    SortUnlessSorted(flow.sent, [](const SentPacket& a, const SentPacket& b) {
      return std::tie(a.time_ns, a.node, a.sequence) < std::tie(b.time_ns, b.node, b.sequence);
    });
    SortUnlessSorted(flow.arrivals,
                     [](const Arrival& a, const Arrival& b) { return a.time_ns < b.time_ns; });
    uint32_t writer = kNone;
    for (uint32_t i = 0; i < flow.sent.size(); ++i) {
      const SentPacket& packet = flow.sent[i];
      const int64_t number =
          i == 0 ? packet.sequence
                 : Near(numbers_[i - 1], flow.sent[i - 1].sequence, packet.sequence);
      numbers_.push_back(number);
      most_bytes_ = std::max(most_bytes_, int64_t{packet.bytes});
      by_number_.push_back({number, packet.time_ns, i});
      from_one_node_ &= packet.node == flow.sent.front().node;
      if (packet.thread != kNobody) writer = i;
      last_writer_.push_back(writer);
    }
    SortUnlessSorted(by_number_, Before);
    headers_bytes_ = HeaderBytes();
  }

  void Run() {
    size_t sent_before = 0;  // how many were sent before the arrival
    for (Arrival& arrival : flow_.arrivals) {
      while (sent_before < flow_.sent.size() &&
             flow_.sent[sent_before].time_ns <= arrival.time_ns) {
        ++sent_before;
      }
      const size_t near = sent_before == 0 ? 0 : sent_before - 1;
      Match(arrival, Near(numbers_[near], flow_.sent[near].sequence, arrival.sequence));
    }
  }

 private:
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

  static bool Before(const NumberedPacket& a, const NumberedPacket& b) {
    return std::tie(a.number, a.time_ns, a.index) < std::tie(b.number, b.time_ns, b.index);
  }
  // The number of a sequence that is less than 2 GiB from a known one.
  static int64_t Near(int64_t number, uint32_t sequence, uint32_t wanted) {
    return number + static_cast<int32_t>(wanted - sequence);
  }

  bool Holds(const NumberedPacket& sent, int64_t number) const {
    if (sent.number == number) return true;
    return number - sent.number < int64_t{flow_.sent[sent.index].bytes} - headers_bytes_;
  }

  // The size of a packet's headers is not recorded. But the next packet begins where the bytes end:
  // the most frequent difference is the size of the headers.
  int64_t HeaderBytes() const {
    const int64_t least = flow_.ipv6 ? kLeastHeadersIpv6 : kLeastHeadersIpv4;
    std::array<uint32_t, kMostHeaders> times{};
    for (size_t i = 0; i + 1 < by_number_.size(); ++i) {
      const int64_t length = by_number_[i + 1].number - by_number_[i].number;
      const int64_t rest = int64_t{flow_.sent[by_number_[i].index].bytes} - length;
      if (length > 0 && rest >= least && rest < kMostHeaders) ++times[static_cast<size_t>(rest)];
    }
    const auto most = std::max_element(times.begin(), times.end());
    const int64_t usual = flow_.ipv6 ? kUsualHeadersIpv6 : kUsualHeadersIpv4;
    return *most >= kFewestHeaderVotes ? most - times.begin() : usual;
  }

  // A packet mostly lies a little behind the packet that arrived before it.
  const NumberedPacket* FirstAfter(const NumberedPacket& wanted) {
    const NumberedPacket* const end = by_number_.end();
    const NumberedPacket* from = by_number_.begin() + near_;
    if (from != end && Before(wanted, *from)) from = by_number_.begin();
    ptrdiff_t step = 1;
    while (end - from > step && !Before(wanted, *(from + step))) {
      from += step;
      step *= 2;
    }
    const NumberedPacket* const until = end - from > step ? from + step : end;
    const NumberedPacket* const found = std::upper_bound(from, until, wanted, Before);
    near_ = static_cast<size_t>(found - by_number_.begin());
    if (near_ > 0) --near_;
    return found;
  }

  void Match(Arrival& arrival, int64_t number) {
    Message& message = *arrival.message;
    auto at = FirstAfter({number, arrival.latest_ns, kNone});
    const SentPacket* best = nullptr;
    const SentPacket* first = nullptr;
    bool all_seen = true;
    // A single candidate is the one, for any clocks.
    const bool more_later = at != by_number_.end() && at->number == number;
    int holders = 0;
    for (int seen = 0; at != by_number_.begin(); ++seen) {
      --at;
      if (number - at->number > most_bytes_) break;
      if (seen == kMostCandidates) {
        all_seen = false;
        break;
      }
      const SentPacket& sent = flow_.sent[at->index];
      if (!Holds(*at, number)) continue;
      ++holders;
      if (sent.time_ns > arrival.latest_ns) continue;
      if (best == nullptr || Rank(sent, message) > Rank(*best, message)) best = &sent;
      if (first == nullptr || sent.time_ns < first->time_ns) first = &sent;
    }
    message.depends_on_clocks = !from_one_node_ || more_later || !all_seen || holders > 1 ||
                                (holders == 1 && best == nullptr);
    if (best == nullptr) {
      message.fate = MessageFate::kNotSent;
      LookBeyondTheClocks(arrival, number);
      return;
    }
    if (all_seen) {
      message.first_node = first->node;
      message.first_sent_ns = first->node_time_ns;
    }
    arrival.packet = best;
    if (best->thread == kNobody) {
      const uint32_t writer = last_writer_[static_cast<size_t>(best - flow_.sent.data())];
      if (writer == kNone) {
        message.fate = MessageFate::kByKernel;
        return;
      }
      best = &flow_.sent[writer];
      message.by_last_writer = true;
    }
    message.fate = MessageFate::kMatched;
    message.from_node = best->node;
    message.sender = best->thread;
    message.sent_ns = best->node_time_ns;
  }

  // The very same packet, sent after it arrived: then a clock is further off than it may be.
  void LookBeyondTheClocks(const Arrival& arrival, int64_t number) const {
    const auto at = std::upper_bound(by_number_.begin(), by_number_.end(),
                                     NumberedPacket{number, arrival.latest_ns, kNone}, Before);
    if (at == by_number_.end() || at->number != number) return;
    const SentPacket& sent = flow_.sent[at->index];
    if (sent.bytes < arrival.bytes || sent.bytes - arrival.bytes > kLargestInterfaceHeader) return;
    arrival.message->first_node = sent.node;
    arrival.message->first_sent_ns = sent.node_time_ns;
  }

  static std::tuple<bool, bool, uint64_t> Rank(const SentPacket& sent, const Message& message) {
    return {sent.thread != kNobody, sent.node == message.to_node, sent.time_ns};
  }

  FlowTraffic& flow_;
  bool from_one_node_ = true;
  size_t near_ = 0;  // in by_number_
  int64_t headers_bytes_ = 0;
  int64_t most_bytes_ = 0;  // of one packet: one that begins further before a byte does not hold it
  Column<int64_t>& numbers_;  // these are as in ByteNotes
  Column<uint32_t>& last_writer_;
  Column<NumberedPacket>& by_number_;
};

}  // namespace

void MatchByBytes(FlowTraffic& flow, ByteNotes& notes) { ByteMatcher(flow, notes).Run(); }

}  // namespace gordian
