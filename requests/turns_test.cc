// SPDX-License-Identifier: Apache-2.0
#include "requests/turns.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <tuple>

namespace gordian {
namespace {

constexpr uint32_t kIpAndTcpHeaders = 52;
constexpr uint32_t kLinkHeader = 14;
constexpr EntityId kServerThread = 7;

// Data that one end sends for the first time.
struct Chunk {
  uint64_t time_ns = 0;
  uint32_t bytes = 0;
  bool to_server = false;
};

// A connection's packets as the server's node sees them.
class PacketMaker {
 public:
  explicit PacketMaker(std::array<uint32_t, 2> first_sequences) : sequence_(first_sequences) {}

  void Data(uint64_t time_ns, bool to_server, uint32_t bytes) {
    Add(time_ns, to_server, sequence_[to_server], bytes);
    last_[to_server] = {sequence_[to_server], bytes};
    sequence_[to_server] += bytes;
  }
  void Again(uint64_t time_ns, bool to_server) {
    if (last_[to_server].second > 0)
      Add(time_ns, to_server, last_[to_server].first, last_[to_server].second);
  }
  void Acknowledgement(uint64_t time_ns, bool to_server) {
    Add(time_ns, to_server, sequence_[to_server], 0);
  }
  void Packet(uint64_t time_ns, bool to_server, uint32_t sequence, uint32_t bytes, bool sent,
              uint32_t interface) {
    places_.push_back({packets_.size(), to_server ? 1u : 0u});
    packets_.push_back({.time_ns = time_ns,
                        .interface = interface,
                        .bytes = bytes,
                        .thread = sent && !to_server ? kServerThread : kNobody,
                        .sequence = sequence,
                        .sent = sent});
  }
  // On how many interfaces each packet is seen.
  void SeenTwice(bool twice) { twice_ = twice; }

  std::vector<Request> Requests(RequestCounts& counts) const {
    std::vector<Request> requests;
    AddRequests(DataOf(packets_, places_, false), 0, requests, counts);
    return requests;
  }

 private:
  void Add(uint64_t time_ns, bool to_server, uint32_t sequence, uint32_t bytes) {
    const bool sent = !to_server;
    Packet(time_ns, to_server, sequence, kIpAndTcpHeaders + bytes + (sent ? kLinkHeader : 0), sent,
           1);
    if (twice_)
      Packet(time_ns + 1, to_server, sequence, kIpAndTcpHeaders + bytes + (sent ? 0 : kLinkHeader),
             !sent, 2);
  }

  std::vector<PacketRecord> packets_;
  std::vector<PacketPlace> places_;
  std::array<uint32_t, 2> sequence_;
  std::array<std::pair<uint32_t, uint32_t>, 2> last_{};
  bool twice_ = false;
};

using ToldTimes = std::tuple<uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t>;

std::vector<ToldTimes> TimesOf(const std::vector<Request>& requests) {
  std::vector<ToldTimes> times;
  for (const Request& request : requests)
    times.emplace_back(request.start_ns, request.received_ns, request.answer_ns, request.end_ns,
                       request.request_bytes, request.answer_bytes);
  return times;
}

// The rule, word by word: a request begins with data towards the server that follows data back, or
// nothing.
std::vector<ToldTimes> LiteralRequests(const std::vector<Chunk>& chunks, RequestCounts& counts) {
  std::vector<ToldTimes> times;
  if (!chunks.empty() && !chunks.front().to_server) ++counts.without_request;
  for (size_t i = 0; i < chunks.size(); ++i) {
    const bool begins = chunks[i].to_server && (i == 0 || !chunks[i - 1].to_server);
    if (!begins) continue;
    uint64_t request_bytes = 0;
    uint64_t answer_bytes = 0;
    size_t answer = i;
    for (; answer < chunks.size() && chunks[answer].to_server; ++answer)
      request_bytes += chunks[answer].bytes;
    if (answer - i > 1) ++counts.in_several_parts;
    if (answer == chunks.size()) {
      ++counts.without_answer;
      continue;
    }
    size_t end = answer;
    for (; end < chunks.size() && !chunks[end].to_server; ++end) answer_bytes += chunks[end].bytes;
    times.emplace_back(chunks[i].time_ns, chunks[answer - 1].time_ns, chunks[answer].time_ns,
                       chunks[end - 1].time_ns, request_bytes, answer_bytes);
  }
  return times;
}

RC_GTEST_PROP(Turns, AreThoseOfTheConversation, ()) {
  PacketMaker packets({*rc::gen::arbitrary<uint32_t>(), *rc::gen::arbitrary<uint32_t>()});
  packets.SeenTwice(*rc::gen::arbitrary<bool>());
  std::vector<Chunk> chunks;
  uint64_t time_ns = 1'000;
  for (int count = *rc::gen::inRange(0, 40); count > 0; --count) {
    time_ns += *rc::gen::inRange<uint64_t>(2, 1'000);
    const bool to_server = *rc::gen::arbitrary<bool>();
    const auto bytes = *rc::gen::inRange<uint32_t>(1, 60'000);
    switch (*rc::gen::inRange(0, 6)) {
      case 0:
        packets.Acknowledgement(time_ns, to_server);
        break;
      case 1:
        packets.Again(time_ns, to_server);
        break;
      default:
        packets.Data(time_ns, to_server, bytes);
        chunks.push_back({time_ns, bytes, to_server});
    }
  }
  RequestCounts expected_counts;
  const std::vector<ToldTimes> expected = LiteralRequests(chunks, expected_counts);
  RequestCounts counts;
  const std::vector<Request> requests = packets.Requests(counts);
  RC_ASSERT(TimesOf(requests) == expected);
  RC_ASSERT(counts.without_answer == expected_counts.without_answer);
  RC_ASSERT(counts.without_request == expected_counts.without_request);
  RC_ASSERT(counts.in_several_parts == expected_counts.in_several_parts);
  for (const Request& request : requests) RC_ASSERT(request.thread == kServerThread);
}

RC_GTEST_PROP(Turns, OfNonsenseAreStillInOrder, ()) {
  PacketMaker packets({0, 0});
  uint64_t time_ns = 0;
  for (int count = *rc::gen::inRange(0, 60); count > 0; --count) {
    time_ns += *rc::gen::inRange<uint64_t>(0, 3);
    const auto sequence =
        *rc::gen::oneOf(rc::gen::arbitrary<uint32_t>(), rc::gen::inRange<uint32_t>(0, 300));
    packets.Packet(time_ns, *rc::gen::arbitrary<bool>(), sequence,
                   *rc::gen::oneOf(rc::gen::inRange<uint32_t>(0, 200),
                                   rc::gen::element<uint32_t>(0, 65'535, UINT32_MAX)),
                   *rc::gen::arbitrary<bool>(), *rc::gen::inRange<uint32_t>(0, 3));
  }
  RequestCounts counts;
  uint64_t before_ns = 0;
  for (const Request& request : packets.Requests(counts)) {
    RC_ASSERT(before_ns <= request.start_ns);
    RC_ASSERT(request.start_ns <= request.received_ns);
    RC_ASSERT(request.received_ns <= request.answer_ns);
    RC_ASSERT(request.answer_ns <= request.end_ns);
    before_ns = request.end_ns;
  }
}

TEST(Turns, OfANewConnectionBetweenTheSamePortsDoNotGoOn) {
  PacketMaker packets({1000, 2000});
  packets.Data(1'000, true, 100);  // never answered
  packets.Packet(900'000, true, 1u << 31, kIpAndTcpHeaders + 50, false, 1);
  packets.Packet(900'100, true, (1u << 31) + 50, kIpAndTcpHeaders, false, 1);
  packets.Packet(901'000, false, 1u << 30, kIpAndTcpHeaders + kLinkHeader + 80, true, 1);
  RequestCounts counts;
  const std::vector<Request> requests = packets.Requests(counts);
  ASSERT_EQ(requests.size(), 1u);
  EXPECT_EQ(requests[0].start_ns, 900'000u);
  EXPECT_EQ(requests[0].answer_ns, 901'000u);
  EXPECT_TRUE(requests[0].is_first);
  EXPECT_EQ(counts.without_answer, 1u);
}

// Over loopback the sent packets count. One acknowledgement was seen as it came, and not as it was
// sent: the data behind it still is as it is sent.
TEST(Turns, AreNotLostBehindAnAcknowledgementThatWasSeenElsewhere) {
  PacketMaker packets({1000, 2000});
  packets.Packet(1'000, true, 1000, kIpAndTcpHeaders + kLinkHeader + 16, true, 1);
  packets.Packet(2'000, false, 2000, kIpAndTcpHeaders + kLinkHeader + 16, true, 1);
  packets.Packet(3'000, true, 1016, kIpAndTcpHeaders + kLinkHeader + 16, true, 1);
  packets.Packet(4'000, false, 2016, kIpAndTcpHeaders, false, 1);
  packets.Packet(5'000, false, 2016, kIpAndTcpHeaders + kLinkHeader + 16, true, 1);
  packets.Packet(6'000, true, 1032, kIpAndTcpHeaders + kLinkHeader + 16, true, 1);
  packets.Packet(7'000, false, 2032, kIpAndTcpHeaders + kLinkHeader + 16, true, 1);
  RequestCounts counts;
  const std::vector<Request> requests = packets.Requests(counts);
  ASSERT_EQ(requests.size(), 3u);
  EXPECT_EQ(requests[1].start_ns, 3'000u);
  EXPECT_EQ(requests[1].answer_ns, 5'000u);
  EXPECT_EQ(counts.in_several_parts, 0u);
}

// The kernel numbers a connection between ports that were used a second ago just behind the last.
TEST(Turns, OfPortsThatAreUsedAgainSoonDoNotGoOn) {
  constexpr uint32_t kOpening = kIpAndTcpHeaders + 8;
  PacketMaker packets({1000, 2000});
  packets.Data(1'000, true, 60);  // never answered
  packets.Acknowledgement(1'100, true);
  packets.Acknowledgement(1'200, false);
  packets.Packet(900'000, true, 27'000'000, kOpening, false, 1);
  packets.Packet(900'010, false, 67'538, kOpening + kLinkHeader, true, 1);
  packets.Packet(900'020, true, 27'000'001, kIpAndTcpHeaders, false, 1);
  packets.Packet(900'030, true, 27'000'001, kIpAndTcpHeaders + 60, false, 1);
  packets.Packet(901'000, false, 67'539, kIpAndTcpHeaders + kLinkHeader + 80, true, 1);
  packets.Packet(901'100, true, 27'000'061, kIpAndTcpHeaders, false, 1);
  RequestCounts counts;
  const std::vector<Request> requests = packets.Requests(counts);
  ASSERT_EQ(requests.size(), 1u);
  EXPECT_EQ(requests[0].start_ns, 900'030u);
  EXPECT_EQ(requests[0].answer_ns, 901'000u);
  EXPECT_EQ(counts.without_answer, 1u);
}

// Its server greets who connects.
PacketMaker GreetedConnection() {
  constexpr uint32_t kOpening = kIpAndTcpHeaders + 8;
  PacketMaker packets({0, 0});
  packets.Packet(1'000, true, 500, kOpening, false, 1);
  packets.Packet(1'010, false, 700, kOpening + kLinkHeader, true, 1);
  packets.Packet(1'020, true, 501, kIpAndTcpHeaders, false, 1);
  packets.Packet(9'000, false, 701, kIpAndTcpHeaders + kLinkHeader + 20, true, 1);
  return packets;
}

TEST(Turns, OfAServerThatGreetsBeginWithTheConnection) {
  PacketMaker packets = GreetedConnection();
  packets.Packet(9'100, true, 501, kIpAndTcpHeaders + 30, false, 1);
  packets.Packet(9'200, false, 721, kIpAndTcpHeaders + kLinkHeader + 40, true, 1);
  packets.Packet(9'300, true, 531, kIpAndTcpHeaders, false, 1);
  RequestCounts counts;
  const std::vector<Request> requests = packets.Requests(counts);
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(requests[0].start_ns, 1'000u);
  EXPECT_EQ(requests[0].answer_ns, 9'000u);
  EXPECT_EQ(requests[0].thread, kServerThread);
  EXPECT_TRUE(requests[0].is_first);
  EXPECT_EQ(requests[1].start_ns, 9'100u);
  EXPECT_FALSE(requests[1].is_first);
}

TEST(Turns, OfAConnectionOnWhichTheClientOnlyListensAreNone) {
  RequestCounts counts;
  EXPECT_TRUE(GreetedConnection().Requests(counts).empty());
  EXPECT_EQ(counts.without_request, 1u);
}

TEST(Turns, OfAnAnswerThatTheKernelSentAreOfTheThreadThatWroteBefore) {
  PacketMaker packets({1000, 2000});
  packets.Data(1'000, true, 100);
  packets.Data(2'000, false, 100);
  packets.Data(3'000, true, 100);
  std::vector<Request> requests;
  RequestCounts counts;
  const std::vector<ConnectionData> data = {
      {.time_ns = 1, .bytes = 1, .to_server = true}, {.time_ns = 2, .bytes = 1, .thread = 3},
      {.time_ns = 3, .bytes = 1, .to_server = true}, {.time_ns = 4, .bytes = 1},
      {.time_ns = 5, .bytes = 1, .thread = 4},
  };
  AddRequests(data, 0, requests, counts);
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(requests[1].thread, 3u);
  requests.clear();
  AddRequests(std::span(data).subspan(2), 0, requests, counts);
  ASSERT_EQ(requests.size(), 1u);
  EXPECT_EQ(requests[0].thread, 4u);
}

}  // namespace
}  // namespace gordian
