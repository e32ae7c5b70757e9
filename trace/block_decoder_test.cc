// SPDX-License-Identifier: Apache-2.0
// A message with a true frame and header may still lie: no event with a bad index gets out.
#include "trace/block_decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "trace/block_encoder.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

struct Encoded {
  BlockHeader header;
  pb::EventBlock message;
};

Encoded Encode(const EventBlock& block) {
  BlockEncoder encoder;
  const auto encoded = encoder.EncodeEvents(block, 0, block.events.size(), BlockKind::kEvents, 0);
  EXPECT_TRUE(encoded.ok());
  FrameDecompressor decompressor;
  const auto raw =
      decompressor.Decompress(encoded->bytes.subspan(kBlockHeaderBytes), encoded->header.raw_bytes);
  EXPECT_TRUE(raw.ok());
  Encoded result{.header = encoded->header};
  EXPECT_TRUE(result.message.ParseFromArray(raw->data(), static_cast<int>(raw->size())));
  return result;
}

Encoded EncodeEveryKind() { return Encode(EveryKindBlock(0, 1'000)); }

absl::Status Decode(Encoded encoded, EventBlock& out) {
  const std::string raw = encoded.message.SerializeAsString();
  std::vector<uint8_t> frame;
  FrameCompressor compressor;
  EXPECT_TRUE(
      compressor.Compress({reinterpret_cast<const uint8_t*>(raw.data()), raw.size()}, frame).ok());
  encoded.header.raw_bytes = static_cast<uint32_t>(raw.size());
  encoded.header.payload_bytes = static_cast<uint32_t>(frame.size());
  return BlockDecoder().DecodeEvents(encoded.header, frame, out);
}

// Makes the first value of a column `value`.
void SetFirst(pb::Column& column, int length, uint64_t value) {
  if (column.low().empty()) column.set_low(std::string(static_cast<size_t>(length), '\0'));
  (*column.mutable_low())[0] = static_cast<char>(value & 0xff);
  column.mutable_high()->Resize(length, 0);
  column.set_high(0, value >> 8);
}

struct Lie {
  const char* what;
  std::function<void(Encoded&)> tell;
};

const Lie kLies[] = {
    {"more events than the header", [](Encoded& e) { ++e.header.events; }},
    {"a kind too few", [](Encoded& e) { e.message.mutable_kinds()->pop_back(); }},
    {"another kind", [](Encoded& e) { (*e.message.mutable_kinds())[2] = 3; }},
    {"a time too few",
     [](Encoded& e) { e.message.mutable_time_delta_ns()->mutable_low()->pop_back(); }},
    {"a later last time", [](Encoded& e) { ++e.header.last_time_ns; }},
    {"an earlier last time", [](Encoded& e) { --e.header.last_time_ns; }},
    {"a time that wraps around",
     [](Encoded& e) { SetFirst(*e.message.mutable_time_delta_ns(), 17, UINT64_MAX - 5); }},
    {"a thread that is not there",
     [](Encoded& e) { SetFirst(*e.message.mutable_switches()->mutable_next(), 2, 200); }},
    {"a waker that is not there",
     [](Encoded& e) { SetFirst(*e.message.mutable_wakes()->mutable_waker(), 2, 1u << 20); }},
    {"a cause that is not there",
     [](Encoded& e) { SetFirst(*e.message.mutable_wakes()->mutable_cause(), 2, 2); }},
    {"more causes than events",
     [](Encoded& e) { e.message.mutable_wakes()->mutable_causes()->set_count(UINT32_MAX); }},
    {"an unknown context",
     [](Encoded& e) {
       SetFirst(*e.message.mutable_wakes()->mutable_causes()->mutable_source(), 2, 5);
     }},
    {"an unknown kind of device",
     [](Encoded& e) {
       SetFirst(*e.message.mutable_wakes()->mutable_causes()->mutable_device_kind(), 2, 3);
     }},
    {"a column of a kind that is longer",
     [](Encoded& e) { e.message.mutable_irq_runs()->mutable_duration_ns()->set_low("abc"); }},
    {"an unknown disk operation",
     [](Encoded& e) { SetFirst(*e.message.mutable_block_issues()->mutable_operation(), 1, 5); }},
    {"a disk's thread that is not there",
     [](Encoded& e) { SetFirst(*e.message.mutable_block_completes()->mutable_thread(), 1, 99); }},
    {"a packet's thread that is not there",
     [](Encoded& e) { SetFirst(*e.message.mutable_net_sends()->mutable_thread(), 1, 99); }},
    {"a probe's name that is not there",
     [](Encoded& e) { SetFirst(*e.message.mutable_probes()->mutable_name(), 1, 2); }},
    {"a phase's key that is not there",
     [](Encoded& e) { SetFirst(*e.message.mutable_probes()->mutable_value(), 1, 2); }},
    {"an unknown kind of probe",
     [](Encoded& e) { SetFirst(*e.message.mutable_probes()->mutable_kind(), 1, 10); }},
    {"loss of an unknown kind",
     [](Encoded& e) { SetFirst(*e.message.mutable_losses()->mutable_kind(), 1, kEventKinds); }},
    {"an unknown change of a task",
     [](Encoded& e) { SetFirst(*e.message.mutable_tasks()->mutable_change(), 1, 5 << 2); }},
    {"a task's name that is not there",
     [](Encoded& e) { SetFirst(*e.message.mutable_tasks()->mutable_comm(), 1, 2); }},
    {"a name past its text",
     [](Encoded& e) { e.message.mutable_tasks()->mutable_comms()->set_length(0, UINT32_MAX); }},
    {"text that is no name's",
     [](Encoded& e) { e.message.mutable_names()->mutable_text()->append("x"); }},
    {"a flow without its address",
     [](Encoded& e) { e.message.mutable_flows()->mutable_source()->pop_back(); }},
    {"an unknown family of addresses",
     [](Encoded& e) { SetFirst(*e.message.mutable_flows()->mutable_family(), 1, 5); }},
    {"a sample's thread that is not there",
     [](Encoded& e) { SetFirst(*e.message.mutable_stack_samples()->mutable_thread(), 1, 99); }},
    {"a sample's object twice",
     [](Encoded& e) { e.message.mutable_stack_samples()->mutable_object_id()->set_low("ab"); }},
    {"a stack with more addresses than frames",
     [](Encoded& e) {
       e.message.mutable_stacks()->mutable_address_delta()->mutable_low()->append("x");
     }},
    {"a command that is not there",
     [](Encoded& e) { SetFirst(*e.message.mutable_tasks()->mutable_command(), 2, 9); }},
    {"a wait object too many",
     [](Encoded& e) { e.message.mutable_wait_objects()->mutable_kind()->set_low("abc"); }},
    {"a wait object's path that is not there",
     [](Encoded& e) { SetFirst(*e.message.mutable_wait_objects()->mutable_path(), 2, 2); }},
    {"a socket without its address",
     [](Encoded& e) { e.message.mutable_wait_objects()->mutable_peer()->pop_back(); }},
    {"more sockets than have addresses",
     [](Encoded& e) { SetFirst(*e.message.mutable_wait_objects()->mutable_kind(), 2, 3); }},
};

TEST(BlockDecoder, TakesTheTruth) {
  EventBlock out;
  const auto status = Decode(EncodeEveryKind(), out);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(out.events.size(), 17u);
}

TEST(BlockDecoder, RefusesWhatPointsNowhere) {
  for (const Lie& lie : kLies) {
    Encoded encoded = EncodeEveryKind();
    lie.tell(encoded);
    EventBlock out = BusyBlock(0, 3, 1);
    EXPECT_EQ(Decode(encoded, out).code(), absl::StatusCode::kDataLoss) << lie.what;
    EXPECT_TRUE(out.empty()) << lie.what;
  }
}

TEST(BlockDecoder, LeavesOutAndCountsEventsOfNewerKinds) {
  Encoded encoded = EncodeEveryKind();
  encoded.message.mutable_kinds()->back() = static_cast<char>(kEventKinds);
  encoded.message.clear_losses();
  EventBlock out;
  const auto status = Decode(encoded, out);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(out.events.size(), 16u);
  EXPECT_EQ(out.unknown_events, 1u);
}

TEST(BlockDecoder, ReadsTasksOfAnOlderWriterThatToldNoCommands) {
  EventBlock block;
  block.AddTask(1'000, {.tid = 7, .comm = "cc", .command = "cc a.c", .directory = "/src"});
  BlockEncoder encoder;
  const auto encoded = encoder.EncodeEvents(block, 0, block.events.size(), BlockKind::kEvents, 0);
  ASSERT_TRUE(encoded.ok());
  FrameDecompressor decompressor;
  const auto raw =
      decompressor.Decompress(encoded->bytes.subspan(kBlockHeaderBytes), encoded->header.raw_bytes);
  ASSERT_TRUE(raw.ok());
  Encoded older{.header = encoded->header};
  ASSERT_TRUE(older.message.ParseFromArray(raw->data(), static_cast<int>(raw->size())));
  EventBlock told;
  ASSERT_TRUE(Decode(older, told).ok());
  EXPECT_EQ(told.tasks, block.tasks);
  pb::TaskColumns& tasks = *older.message.mutable_tasks();
  tasks.clear_command();
  tasks.clear_commands();
  tasks.clear_directory();
  tasks.clear_directories();
  const auto status = Decode(older, told);
  ASSERT_TRUE(status.ok()) << status;
  ASSERT_EQ(told.tasks.size(), 1u);
  EXPECT_EQ(told.tasks[0].comm, "cc");
  EXPECT_EQ(told.tasks[0].command, "");
  EXPECT_EQ(told.tasks[0].directory, "");
}

TEST(BlockDecoder, RefusesAFrameOfAnotherSizeBeforeItTakesMemory) {
  const std::vector<uint8_t> raw(1u << 20);
  std::vector<uint8_t> frame;
  ASSERT_TRUE(FrameCompressor().Compress(raw, frame).ok());
  FrameDecompressor decompressor;
  EXPECT_FALSE(decompressor.Decompress(frame, 100).ok());
  EXPECT_FALSE(decompressor.Decompress(frame, kMaxBlockRawBytes).ok());
  EXPECT_TRUE(decompressor.Decompress(frame, 1u << 20).ok());
}

// Two connections that send in turn; each sequence number is 66 less than the last one and its
// bytes.
EventBlock TwoConnections() {
  EventBlock block;
  uint32_t sequence[2] = {4'000'000'000, 17};  // one of them wraps around
  for (uint32_t i = 0; i < 400; ++i) {
    const uint32_t flow = i % 2;
    const uint32_t bytes = 1000 + i * i % 977;
    TraceEvent event{.time_ns = 1'000 + i, .kind = EventKind::kNetSend};
    event.net = {.flow_id = 5 + flow, .bytes = bytes, .sequence = sequence[flow], .tid = 7};
    block.events.push_back(event);
    sequence[flow] += 2'000'000 * (i == 7 ? 1 : 0) + bytes - 66;
  }
  return block;
}

std::vector<uint32_t> Sequences(const EventBlock& block) {
  std::vector<uint32_t> sequences;
  for (const TraceEvent& event : block.events) sequences.push_back(event.net.sequence);
  return sequences;
}

TEST(BlockDecoder, ReadsSequencesThatTellOnlyHowFarTheyAreFromThoseThatWouldFollow) {
  const EventBlock block = TwoConnections();
  const Encoded encoded = Encode(block);
  EXPECT_EQ(encoded.header.version, 2);
  const pb::Column& column = encoded.message.net_sends().sequence();
  // All but the first of each connection and the one behind the gap.
  const std::string& low = column.low();
  EXPECT_EQ(std::count(low.begin(), low.end(), static_cast<char>(ZigZag(-66))), 397);
  EventBlock decoded;
  ASSERT_TRUE(Decode(encoded, decoded).ok());
  EXPECT_EQ(Sequences(decoded), Sequences(block));
}

TEST(BlockDecoder, ReadsSequencesOfOlderBlocksAsTheyAre) {
  const EventBlock block = TwoConnections();
  Encoded older = Encode(block);
  const std::vector<uint32_t> sequences = Sequences(block);
  WriteColumn(std::vector<uint64_t>(sequences.begin(), sequences.end()),
              *older.message.mutable_net_sends()->mutable_sequence());
  older.message.mutable_net_sends()->clear_sequence_follows();
  older.header.version = 1;
  EventBlock decoded;
  ASSERT_TRUE(Decode(older, decoded).ok());
  EXPECT_EQ(Sequences(decoded), sequences);
}

TEST(BlockDecoder, BlocksThatOlderReadersUnderstandKeepTheirVersion) {
  EventBlock block;
  block.events.push_back({.time_ns = 1, .kind = EventKind::kSwitch});
  EXPECT_EQ(Encode(block).header.version, 1);
}

}  // namespace
}  // namespace gordian
