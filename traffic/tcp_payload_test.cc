// SPDX-License-Identifier: Apache-2.0
#include "traffic/tcp_payload.h"

#include <gtest/gtest.h>

#include <vector>

namespace gordian {
namespace {

struct Sums {
  uint64_t payload = 0, repeated = 0, unseen = 0, empty_packets = 0, packets = 0;
  bool operator==(const Sums&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Sums& sums) {
  return out << "payload " << sums.payload << ", repeated " << sums.repeated << ", unseen "
             << sums.unseen << ", empty " << sums.empty_packets << ", packets " << sums.packets;
}

struct Size {
  uint32_t sequence;
  uint32_t tcp_bytes;
};

Sums Judge(const std::vector<Size>& packets) {
  TcpPayload payload;
  Sums sums;
  const auto count = [&](const std::optional<JudgedPacket>& judged) {
    if (!judged) return;
    ++sums.packets;
    (judged->repeated ? sums.repeated : sums.payload) += judged->payload_bytes;
    sums.unseen += judged->unseen_bytes;
    sums.empty_packets += judged->payload_bytes == 0 ? 1 : 0;
  };
  for (const Size& packet : packets)
    count(payload.Add({.sequence = packet.sequence, .tcp_bytes = packet.tcp_bytes}));
  count(payload.Finish());
  return sums;
}

TEST(TcpPayload, OpeningAndEndCountInSequenceNumbersButCarryNothing) {
  EXPECT_EQ(Judge({{99, 40}, {100, 32}, {100, 32 + 500}, {600, 32}, {600, 32}, {601, 32}}),
            (Sums{.payload = 500, .empty_packets = 5, .packets = 6}));
}

TEST(TcpPayload, OneByteIsNoOpening) {
  EXPECT_EQ(Judge({{100, 33}, {101, 33}, {102, 32}}),
            (Sums{.payload = 2, .empty_packets = 1, .packets = 3}));
}

TEST(TcpPayload, AnEndMayComeWithTheLastPayload) {
  EXPECT_EQ(Judge({{100, 32 + 7}, {108, 32}}),
            (Sums{.payload = 7, .empty_packets = 1, .packets = 2}));
}

TEST(TcpPayload, HeadersMayHaveOptionsOrNone) {
  EXPECT_EQ(Judge({{99, 24}, {100, 20}, {100, 21}, {101, 20}}),
            (Sums{.payload = 1, .empty_packets = 3, .packets = 4}));
  EXPECT_EQ(Judge({{100, 60 + 10}, {110, 60}}),
            (Sums{.payload = 10, .empty_packets = 1, .packets = 2}));
}

TEST(TcpPayload, WhatNoLaterPacketTellsOfTheHeaderSeenLastDoes) {
  EXPECT_EQ(Judge({{0, 32 + 1000}, {1000, 32 + 1000}, {2000, 32 + 13}}),
            (Sums{.payload = 2013, .packets = 3}));
}

TEST(TcpPayload, SequenceNumbersGoRound) {
  EXPECT_EQ(Judge({{0xffffff00, 32 + 0x200}, {0x100, 32 + 5}, {0x105, 32}}),
            (Sums{.payload = 0x205, .empty_packets = 1, .packets = 3}));
}

TEST(TcpPayload, RetransmissionsCountApart) {
  // The same again, a part of the last one, and something older.
  EXPECT_EQ(Judge({{0, 1032}, {1000, 1032}, {1000, 1032}, {1500, 532}, {0, 1032}, {2000, 32}}),
            (Sums{.payload = 2000, .repeated = 2500, .empty_packets = 1, .packets = 6}));
}

TEST(TcpPayload, AcknowledgementsThatListWhatArrivedAreEmpty) {
  EXPECT_EQ(Judge({{5, 32}, {5, 44}, {5, 52}, {5, 32}, {5, 32 + 100}, {105, 32}}),
            (Sums{.payload = 100, .empty_packets = 5, .packets = 6}));
}

TEST(TcpPayload, GapsAreUnseenUntilTheyAreFilled) {
  EXPECT_EQ(Judge({{0, 132}, {300, 132}, {400, 32}}),
            (Sums{.payload = 200, .unseen = 200, .empty_packets = 1, .packets = 3}));
  EXPECT_EQ(Judge({{0, 132}, {300, 132}, {100, 232}, {400, 32}}),
            (Sums{.payload = 400, .empty_packets = 1, .packets = 4}));
}

TEST(TcpPayload, AnotherConnectionBetweenTheSamePortsIsNoGap) {
  EXPECT_EQ(Judge({{100, 132}, {0x70000000, 132}, {0x70000064, 32}, {1, 132}}),
            (Sums{.payload = 300, .empty_packets = 1, .packets = 4}));
}

TEST(TcpPayload, NonsenseEndsInNumbersThatArePossible) {
  const Sums sums =
      Judge({{0, 0}, {1, 0}, {2, 0xffffffff}, {3, 0xffffffff}, {0, 5}, {0x80000000, 7}});
  EXPECT_EQ(sums.packets, 6u);
  EXPECT_LE(sums.payload, 3ull << 32);
}

}  // namespace
}  // namespace gordian
