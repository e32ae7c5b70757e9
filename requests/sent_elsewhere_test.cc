// SPDX-License-Identifier: Apache-2.0
#include "requests/sent_elsewhere.h"

#include <gtest/gtest.h>

namespace gordian {
namespace {

constexpr EntityId kClient = 7, kServer = 8;

ConnectionData ToServer(uint64_t time_ns, uint32_t sequence, uint64_t bytes,
                        EntityId thread = kNobody) {
  return {.time_ns = time_ns,
          .bytes = bytes,
          .sequence = sequence,
          .thread = thread,
          .to_server = true};
}
ConnectionData ToClient(uint64_t time_ns, uint32_t sequence, uint64_t bytes) {
  return {.time_ns = time_ns, .bytes = bytes, .sequence = sequence, .thread = kServer};
}

TEST(DataSentElsewhere, FillWhatTheServersNodeDidNotSee) {
  const std::vector<ConnectionData> seen = {ToServer(100, 1000, 50), ToClient(200, 1, 10),
                                            ToClient(400, 11, 10)};
  const std::vector<ConnectionData> sent = {ToServer(90, 1000, 50, kClient),
                                            ToServer(290, 1050, 50, kClient)};
  const auto all = WithSentElsewhere(seen, sent, /*flight_ns=*/20);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].time_ns, 100u);  // its own sight of it stays
  EXPECT_EQ(all[2].time_ns, 310u);
  EXPECT_EQ(all[2].thread, kClient);
  std::vector<Request> requests;
  RequestCounts counts;
  AddRequests(all, 0, requests, counts);
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(requests[1].latency_ns(), 90u);
  EXPECT_EQ(requests[1].client, kClient);
}

// One packet on the way may be seen as two, and two as one.
TEST(DataSentElsewhere, AreKnownByTheirBytesNotByTheirPackets) {
  const std::vector<ConnectionData> seen = {ToServer(100, 0xffffff00, 0x200)};
  const std::vector<ConnectionData> sent = {ToServer(80, 0xffffff00, 0x100, kClient),
                                            ToServer(81, 0, 0x100, kClient),
                                            ToServer(300, 0x100, 0x10, kClient)};
  const auto all = WithSentElsewhere(seen, sent, 0);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1].sequence, 0x100u);
}

TEST(DataSentElsewhere, AreThoseOfThreadsToTheServer) {
  const std::vector<ConnectionData> sent = {ToServer(80, 1, 10), ToClient(90, 1, 10)};
  EXPECT_TRUE(WithSentElsewhere({}, sent, 0).empty());
  EXPECT_TRUE(WithSentElsewhere({}, {}, 0).empty());
}

}  // namespace
}  // namespace gordian
