// SPDX-License-Identifier: Apache-2.0
// Large columns are found in a message's bytes, and compressed by themselves.
#include "trace/message_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "schema/trace.pb.h"
#include "trace/frame.h"

namespace gordian {
namespace {

using ::testing::IsEmpty;

std::span<const uint8_t> Bytes(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

std::vector<size_t> Borders(const std::string& message, size_t least_bytes) {
  std::vector<size_t> borders;
  FindPartBorders(*pb::EventBlock::descriptor(), Bytes(message), least_bytes, borders);
  return borders;
}

// Random low bytes of times; small states; one thread.
pb::EventBlock TwoColumns() {
  pb::EventBlock block;
  std::mt19937 random(1);
  for (int i = 0; i < 16'000; ++i) {
    block.mutable_time_delta_ns()->mutable_low()->push_back(static_cast<char>(random()));
    block.mutable_switches()->mutable_state()->mutable_low()->push_back(
        static_cast<char>(random() % 3));
  }
  block.mutable_switches()->mutable_prev()->add_high(7);
  return block;
}

TEST(MessageParts, AreTheLargeColumnsAtAnyDepth) {
  const pb::EventBlock block = TwoColumns();
  const std::string message = block.SerializeAsString();
  const std::vector<size_t> borders = Borders(message, 1'000);
  ASSERT_EQ(borders.size(), 4u);
  EXPECT_EQ(message.substr(borders[0], borders[1] - borders[0]), block.time_delta_ns().low());
  EXPECT_EQ(message.substr(borders[2], borders[3] - borders[2]), block.switches().state().low());
  EXPECT_THAT(Borders(message, 16'001), IsEmpty());
}

TEST(MessageParts, OfWhatIsNoMessageAreNone) {
  const std::string message = TwoColumns().SerializeAsString();
  EXPECT_THAT(Borders(message.substr(0, message.size() - 1), 1'000), IsEmpty());
  EXPECT_THAT(Borders(std::string(5'000, '\0'), 1), IsEmpty());
  EXPECT_THAT(Borders("", 1), IsEmpty());
}

TEST(MessageParts, CompressBetterByThemselves) {
  const std::string message = TwoColumns().SerializeAsString();
  FrameCompressor compressor;
  std::vector<uint8_t> whole, parted;
  ASSERT_TRUE(compressor.Compress(Bytes(message), whole).ok());
  ASSERT_TRUE(compressor.Compress(Bytes(message), Borders(message, 1'000), parted).ok());
  EXPECT_LT(parted.size(), whole.size());
  FrameDecompressor decompressor;
  const auto read = decompressor.Decompress(parted, static_cast<uint32_t>(message.size()));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(std::string(read->begin(), read->end()), message);
}

TEST(MessageParts, MayBeginAndEndWithTheMessage) {
  const std::string message(10'000, 'x');
  const std::vector<size_t> borders = {0, 0, 4'000, message.size()};
  std::vector<uint8_t> frame;
  ASSERT_TRUE(FrameCompressor().Compress(Bytes(message), borders, frame).ok());
  FrameDecompressor decompressor;
  const auto read = decompressor.Decompress(frame, static_cast<uint32_t>(message.size()));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(std::string(read->begin(), read->end()), message);
}

}  // namespace
}  // namespace gordian
