// SPDX-License-Identifier: Apache-2.0
#include "requests/turns.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <utility>

#include "traffic/tcp_payload.h"

namespace gordian {
namespace {

constexpr uint32_t kEthernetHeader = 14;  // of packets that are sent; loopback has it, too
constexpr uint32_t kSmallestTcpHeaderBytes = 20;
// The largest window of TCP is 1 GiB, but what is under way is less. Without this limit, a port
// that is used again would make one request of the last one before and the first one after.
constexpr int64_t kNewConnectionBytes = int64_t{64} << 20;

// Sequence numbers that an opening takes, though it has no data.
constexpr uint32_t kOpeningLength = 1;
// How much larger the first packet's header is than others: with timestamps, and without.
constexpr uint32_t kOpeningOptions = 8;
constexpr uint32_t kPlainOpeningOptions = 12;

uint32_t TcpBytes(const PacketRecord& packet, bool ipv6) {
  const uint32_t ip_header = ipv6 ? 40 : 20;
  uint32_t link = packet.sent ? kEthernetHeader : 0;
  // A tunnel's packets begin with the header of IP.
  if (packet.bytes < link + ip_header + kSmallestTcpHeaderBytes) link = 0;
  return packet.bytes - std::min(packet.bytes, link + ip_header);
}

// One direction.
class DirectionReader {
 public:
  DirectionReader(std::span<const PacketRecord> packets, std::span<const PacketPlace> places,
                  bool ipv6, std::vector<ConnectionData>& data)
      : packets_(packets), places_(places), ipv6_(ipv6), data_(data) {}

  void Add(uint32_t place, const TcpPayload& other) {
    const PacketRecord& packet = packets_[places_[place].index];
    tcp_.LearnHeader(other.header_bytes());
    if (!IsFirstSight(packet)) return;
    if (is_seen_ && BeginsAnew(packet)) {
      Finish();
      TellOpening(place);
    }
    if (!is_seen_) first_ = place;
    const uint32_t ahead = packet.sequence - packets_[places_[first_].index].sequence;
    if (ahead != 0 && next_ahead_ == 0) next_ahead_ = ahead;
    is_seen_ = true;
    sequence_ = packet.sequence;
    tcp_bytes_ = TcpBytes(packet, ipv6_);
    Tell(tcp_.Add(
        {.sequence = packet.sequence, .tcp_bytes = tcp_bytes_, .ip_bytes = 0, .span = place}));
  }
  void Finish() { Tell(tcp_.Finish()); }
  // Once all packets are known: whether the first of them opened the connection.
  void FinishAll() {
    Finish();
    const bool is_opening = next_ahead_ == kOpeningLength && is_seen_ &&
                            LooksLikeOpening(packets_[places_[first_].index]);
    if (is_opening) TellOpening(first_);
  }
  const TcpPayload& tcp() const { return tcp_; }

 private:
  // A packet passes several interfaces, or is sent and received on one: the first one counts, until
  // another sees data that the first did not. (An acknowledgement alone tells nothing: its data may
  // still be seen by the first.)
  bool IsFirstSight(const PacketRecord& packet) {
    const bool same = is_seen_ && interface_ == packet.interface && sent_ == packet.sent;
    const TcpPacket tcp = {.sequence = packet.sequence, .tcp_bytes = TcpBytes(packet, ipv6_)};
    if (is_seen_ && !same && !tcp_.MayBeNews(tcp)) return false;
    interface_ = packet.interface;
    sent_ = packet.sent;
    return true;
  }

  // Another connection between the same ports: its numbers are far away, or a packet of the size of
  // an opening stands behind a hole. (Ports that are used again soon get numbers close to the last
  // ones. A request that was open before would have no end.)
  bool BeginsAnew(const PacketRecord& packet) const {
    const int64_t ahead = static_cast<int32_t>(packet.sequence - sequence_);
    if (std::abs(ahead) > kNewConnectionBytes) return true;
    return LooksLikeOpening(packet) && ahead > int64_t{tcp_bytes_};
  }

  bool LooksLikeOpening(const PacketRecord& packet) const {
    const uint32_t header = tcp_.header_bytes();
    const uint32_t tcp_bytes = TcpBytes(packet, ipv6_);
    return tcp_bytes == header + kOpeningOptions || tcp_bytes == header + kPlainOpeningOptions;
  }

  void TellOpening(uint32_t place) {
    const PacketRecord& packet = packets_[places_[place].index];
    data_.push_back({.time_ns = packet.time_ns,
                     .thread = packet.sent ? packet.thread : kNobody,
                     .to_server = places_[place].to_server != 0,
                     .begins_anew = true});
  }

  void Tell(const std::optional<JudgedPacket>& judged) {
    if (!judged || judged->payload_bytes == 0 || judged->repeated) return;
    const PacketPlace& place = places_[judged->packet.span];
    const PacketRecord& packet = packets_[place.index];
    data_.push_back({.time_ns = packet.time_ns,
                     .bytes = judged->payload_bytes,
                     .sequence = packet.sequence,
                     .thread = packet.sent ? packet.thread : kNobody,
                     .to_server = place.to_server != 0});
  }

  std::span<const PacketRecord> packets_;
  std::span<const PacketPlace> places_;
  const bool ipv6_;
  std::vector<ConnectionData>& data_;
  TcpPayload tcp_;
  uint32_t first_ = 0;       // place
  uint32_t next_ahead_ = 0;  // sequence of the next packet that goes on, from that of the first
  uint32_t interface_ = 0;
  uint32_t sequence_ = 0;
  uint32_t tcp_bytes_ = 0;
  bool sent_ = false;
  bool is_seen_ = false;
};

// Takes the data of a connection in order of time.
class TurnTaker {
 public:
  TurnTaker(uint32_t connection, std::vector<Request>& requests, RequestCounts& counts)
      : connection_(connection), requests_(requests), counts_(counts) {}

  void Add(const ConnectionData& data) {
    if (data.begins_anew) {
      is_new_ = true;
      End();
      greeting_.reset();
      if (data.to_server) opening_ = data;
      return;
    }
    data.to_server ? Ask(data) : Answer(data);
  }
  void End() {
    if (state_ == State::kOpen) ++counts_.without_answer;
    if (state_ == State::kAnswered) requests_.push_back(request_);
    state_ = State::kNothing;
  }

 private:
  enum class State : uint8_t { kNothing, kOpen, kAnswered, kPushed };

  void Ask(const ConnectionData& data) {
    if (state_ == State::kOpen) {
      request_.received_ns = data.time_ns;
      request_.request_bytes += data.bytes;
      ++request_.parts;
      if (request_.parts == 2) ++counts_.in_several_parts;
      return;
    }
    End();
    opening_.reset();
    if (greeting_) requests_.push_back(*std::exchange(greeting_, std::nullopt));
    request_ = {.connection = connection_,
                .client = data.thread,
                .start_ns = data.time_ns,
                .received_ns = data.time_ns,
                .request_bytes = data.bytes,
                .is_first = std::exchange(is_new_, false)};
    state_ = State::kOpen;
  }
  void Answer(const ConnectionData& data) {
    if (state_ == State::kPushed) return;
    if (state_ == State::kNothing) {
      ++counts_.without_request;
      state_ = State::kPushed;
      if (opening_) Greet(*std::exchange(opening_, std::nullopt), data);
      return;
    }
    if (state_ == State::kOpen) {
      request_.thread = data.thread;
      request_.answer_ns = data.time_ns;
      state_ = State::kAnswered;
    }
    request_.end_ns = data.time_ns;
    request_.answer_bytes += data.bytes;
  }

  // Whoever opened the connection asked for the greeting (mail, MySQL, SSH), if it speaks only
  // then. Who never does listens to what comes by itself.
  void Greet(const ConnectionData& opening, const ConnectionData& data) {
    greeting_ = {.connection = connection_,
                 .thread = data.thread,
                 .client = opening.thread,
                 .start_ns = opening.time_ns,
                 .received_ns = opening.time_ns,
                 .answer_ns = data.time_ns,
                 .end_ns = data.time_ns,
                 .answer_bytes = data.bytes,
                 .is_first = std::exchange(is_new_, false)};
  }

  const uint32_t connection_;
  std::vector<Request>& requests_;
  RequestCounts& counts_;
  std::optional<ConnectionData> opening_;  // by the client, which has not spoken yet
  std::optional<Request> greeting_;        // with which the server answered it
  Request request_;
  bool is_new_ = true;  // the connection
  State state_ = State::kNothing;
};

// The kernel sends data when an acknowledgement sets it free: the thread that wrote it is the one
// that sent on the connection last, else the one that does so next.
void NameThreads(std::span<const ConnectionData> data, std::span<Request> requests) {
  EntityId last = kNobody;
  EntityId first = kNobody;
  for (const ConnectionData& sent : data) {
    if (!sent.to_server && sent.thread != kNobody && first == kNobody) first = sent.thread;
  }
  size_t next = 0;
  for (Request& request : requests) {
    for (; next < data.size() && data[next].time_ns <= request.answer_ns; ++next) {
      if (!data[next].to_server && data[next].thread != kNobody) last = data[next].thread;
    }
    if (request.thread == kNobody) request.thread = last != kNobody ? last : first;
  }
}

}  // namespace

std::vector<ConnectionData> DataOf(std::span<const PacketRecord> packets,
                                   std::span<const PacketPlace> places, bool ipv6) {
  std::vector<ConnectionData> data;
  std::array<DirectionReader, 2> directions = {DirectionReader(packets, places, ipv6, data),
                                               DirectionReader(packets, places, ipv6, data)};
  for (uint32_t i = 0; i < places.size(); ++i) {
    const size_t way = places[i].to_server;
    directions[way].Add(i, directions[1 - way].tcp());
  }
  for (DirectionReader& direction : directions) direction.FinishAll();
  std::stable_sort(data.begin(), data.end(), [](const ConnectionData& a, const ConnectionData& b) {
    return a.time_ns < b.time_ns;
  });
  return data;
}

void AddRequests(std::span<const ConnectionData> data, uint32_t connection,
                 std::vector<Request>& requests, RequestCounts& counts) {
  const size_t before = requests.size();
  TurnTaker turns(connection, requests, counts);
  for (const ConnectionData& part : data) turns.Add(part);
  turns.End();
  NameThreads(data, std::span(requests).subspan(before));
}

}  // namespace gordian
