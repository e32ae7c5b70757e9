// SPDX-License-Identifier: Apache-2.0
// What was sent is found by flow, in order of time, however few rows are put in order at once.
#include "analyzer/kept/kept_senders.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "tests/support/trace_builder.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

using testing::TraceBuilder;
using testing::operator""_ms;

constexpr uint32_t kFlows = 7;
constexpr uint32_t kPackets = 500;

// Most rows are of the last flow.
uint32_t FlowOfPacket(uint32_t packet) {
  return packet % 5 == 0 ? 1 + packet / 5 % (kFlows - 1) : kFlows;
}

Timeline TimelineOfSenders(const TemporaryDirectory& folder) {
  TraceBuilder t;
  t.Thread(10, "sender").Cpu(0).At(1_ms).Run(10);
  for (uint32_t flow = 1; flow <= kFlows; ++flow)
    t.Flow({.flow_id = flow, .source_port = static_cast<uint16_t>(flow)});
  for (uint32_t packet = 0; packet < kPackets; ++packet)
    t.At(1_ms * (packet + 2))
        .NetSend({.flow_id = FlowOfPacket(packet),
                  .interface = t.Interface("eth0"),
                  .bytes = 100,
                  .sequence = packet,
                  .tid = 10});
  EXPECT_TRUE(t.WriteSession(folder / "s").ok());
  auto session = SessionReader::Open(folder / "s");
  EXPECT_TRUE(session.ok()) << session.status();
  auto timeline = Timeline::Load(**session, {.threads = 1, .keep_packet_wakes = true}, {});
  EXPECT_TRUE(timeline.ok()) << timeline.status();
  return *std::move(timeline);
}

TEST(KeptSenders, AreByFlowInOrderOfTime) {
  const TemporaryDirectory folder;
  const Timeline timeline = TimelineOfSenders(folder);
  const Store store = *Store::Open({.folder = folder / "store", .keep_free_bytes = 0});
  std::map<uint32_t, std::vector<uint32_t>> expected;
  for (uint32_t packet = 0; packet < kPackets; ++packet)
    expected[FlowOfPacket(packet)].push_back(packet);
  for (const uint64_t at_once_bytes : {kSendersAtOnceBytes, 50 * sizeof(KeptSent), uint64_t{1}}) {
    const StoreKey key{.recording = "01", .stage = "senders", .format = 1, .options = ""};
    auto writer = store.Begin(key, "/recording");
    ASSERT_TRUE(writer.ok()) << writer.status();
    KeepSenders(timeline, *writer, at_once_bytes);
    ASSERT_TRUE(writer->Commit().ok());
    const auto senders = KeptSenders::Of(*store.Find(key), {});
    ASSERT_TRUE(senders.ok()) << senders.status();
    for (uint32_t flow = 1; flow <= kFlows; ++flow) {
      std::vector<uint32_t> sent;
      for (const KeptSent& packet : senders->SentIn(flow)) {
        sent.push_back(packet.sequence);
        EXPECT_EQ(packet.unused, 0u);
      }
      EXPECT_EQ(sent, expected[flow]) << flow << " of " << at_once_bytes;
    }
  }
}

}  // namespace
}  // namespace gordian
