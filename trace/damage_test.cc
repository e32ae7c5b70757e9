// SPDX-License-Identifier: Apache-2.0
// A damaged session is read as far as it is true; the reader counts the parts it passes over;
// nothing else happens.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>

#include "trace/file_io.h"
#include "trace/random_events.h"
#include "trace/session_reader.h"
#include "trace/session_writer.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

using ::testing::HasSubstr;
using ::testing::IsSubsetOf;

constexpr char kFile[] = "/cpu-000.trace";

// A session of one CPU with three small blocks of every kind of event.
class DamagedFile : public ::testing::Test {
 protected:
  DamagedFile() {
    auto writer = SessionWriter::Create(session_, {});
    EXPECT_TRUE(writer.ok()) << writer.status();
    for (uint64_t begin_ns : {1000, 2000, 3000}) {
      EventBlock block = EveryKindBlock(0, begin_ns);
      const auto lines = Describe(block);
      lines_.insert(lines_.end(), lines.begin(), lines.end());
      EXPECT_TRUE((*writer)->AppendEvents(block).ok());
      block_ends_.push_back((*writer)->bytes_on_disk());
    }
    pb::Session session;
    session.set_name("damaged");
    EXPECT_TRUE((*writer)->WriteSession(session).ok());
    bytes_ = ReadWholeFile(session_ + kFile);
  }

  struct Result {
    std::vector<std::string> lines;  // of the events that were given
    ReadDamage damage;
  };
  Result ReadWith(const std::string& bytes) {
    WriteWholeFile(session_ + kFile, bytes);
    auto reader = SessionReader::Open(session_);
    EXPECT_TRUE(reader.ok()) << reader.status();
    Result result;
    MergedEvents events(**reader);
    while (events.Next()) {
      EventBlock one = events.block();
      one.events = {events.event()};
      result.lines.push_back(Describe(one).front());
    }
    result.damage = (*reader)->damage();
    return result;
  }

  const TemporaryDirectory directory_;
  const std::string session_ = directory_ / "s";
  std::vector<std::string> lines_;
  std::vector<uint64_t> block_ends_;
  std::string bytes_;
};

TEST_F(DamagedFile, IsWholeAtFirst) {
  const Result whole = ReadWith(bytes_);
  EXPECT_EQ(whole.lines, lines_);
  EXPECT_EQ(whole.damage, ReadDamage{});
}

TEST_F(DamagedFile, TornAnywhereGivesTheBlocksBefore) {
  const size_t events_per_block = lines_.size() / block_ends_.size();
  for (size_t size = 0; size < bytes_.size(); ++size) {
    const Result result = ReadWith(bytes_.substr(0, size));
    const auto whole_blocks = static_cast<size_t>(std::count_if(
        block_ends_.begin(), block_ends_.end(), [&](uint64_t e) { return e <= size; }));
    const uint64_t whole_bytes = whole_blocks == 0 ? 0 : block_ends_[whole_blocks - 1];
    ASSERT_EQ(result.lines.size(), whole_blocks * events_per_block) << "cut at " << size;
    ASSERT_TRUE(std::equal(result.lines.begin(), result.lines.end(), lines_.begin()));
    ReadDamage expected;
    expected.torn_tails = whole_bytes == size ? 0 : 1;
    expected.skipped_bytes = size - whole_bytes;
    ASSERT_EQ(result.damage, expected) << "cut at " << size;
  }
}

// Every byte is covered: the header by its hash, the frame by its checksum or by zstd's own checks.
TEST_F(DamagedFile, AFlippedByteCostsItsBlockAndNothingElse) {
  const size_t events_per_block = lines_.size() / block_ends_.size();
  for (const int flip : {0x01, 0xff}) {
    for (size_t at = 0; at < bytes_.size(); ++at) {
      std::string bytes = bytes_;
      bytes[at] = static_cast<char>(bytes[at] ^ flip);
      const Result result = ReadWith(bytes);
      ASSERT_THAT(result.lines, IsSubsetOf(lines_)) << "flipped at " << at;
      if (result.lines.size() == lines_.size()) {
        // Harmless: a bit of the frame that means nothing.
        ASSERT_EQ(result.damage, ReadDamage{}) << "flipped at " << at;
        continue;
      }
      ASSERT_EQ(result.lines.size(), lines_.size() - events_per_block) << "flipped at " << at;
      ASSERT_EQ(result.damage.corrupt_blocks + result.damage.torn_tails, 1u) << "flipped at " << at;
    }
  }
}

TEST_F(DamagedFile, BlocksAfterMissingBytesAreFound) {
  // From within the first block's payload to within the second's.
  std::string bytes = bytes_;
  bytes.erase(block_ends_[0] - 10, 40);
  const Result result = ReadWith(bytes);
  EXPECT_THAT(result.lines, IsSubsetOf(lines_));
  EXPECT_EQ(result.lines.size(), lines_.size() / 3);
  EXPECT_GE(result.damage.corrupt_blocks, 1u);
}

TEST_F(DamagedFile, NoiseBeforeBetweenAndAfterBlocksIsPassedOver) {
  std::string noise(100'000, 'x');
  noise += std::string(kBlockMagic.begin(), kBlockMagic.end());
  std::string bytes = bytes_;
  bytes.insert(block_ends_[1], noise);
  const Result result = ReadWith(noise + bytes + noise);
  EXPECT_EQ(result.lines, lines_);
  EXPECT_EQ(result.damage.corrupt_blocks, 3u);
  EXPECT_EQ(result.damage.skipped_bytes, 3 * noise.size());
}

TEST_F(DamagedFile, BlocksOfAnotherCpuAreNotTaken) {
  std::filesystem::copy_file(session_ + kFile, session_ + "/cpu-007.trace");
  const Result result = ReadWith(bytes_);
  EXPECT_EQ(result.lines, lines_);
  EXPECT_EQ(result.damage.corrupt_blocks, 3u);
}

TEST_F(DamagedFile, BlocksThatAreNotThereAreCounted) {
  std::string bytes = bytes_;
  bytes.erase(block_ends_[0], block_ends_[1] - block_ends_[0]);
  EXPECT_EQ(ReadWith(bytes).damage.missing_blocks, 1u);
  EXPECT_EQ(ReadWith(bytes_.substr(block_ends_[1])).damage.missing_blocks, 2u);
  EXPECT_EQ(ReadWith(bytes_).damage.missing_blocks, 0u);
}

TEST_F(DamagedFile, WhatGaveWayInAFlightRecorderIsNotMissing) {
  pb::Session session;
  session.set_format_version(kSessionFormatVersion);
  session.mutable_options()->set_ring_bytes(1 << 20);
  WriteWholeFile(session_ + "/session.pb", session.SerializeAsString());
  EXPECT_EQ(ReadWith(bytes_.substr(block_ends_[0])).damage.missing_blocks, 0u);
  std::string bytes = bytes_;
  bytes.erase(block_ends_[0], block_ends_[1] - block_ends_[0]);
  EXPECT_EQ(ReadWith(bytes).damage.missing_blocks, 1u);
}

// A header as a later version would write it: longer, with words this reader does not know.
std::string NewerBlock(const std::string& bytes, uint64_t block_bytes, uint16_t version,
                       BlockKind kind) {
  auto header = *ParseBlockHeader({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
  header.version = version;
  header.kind = kind;
  std::string block = bytes.substr(0, block_bytes);
  WriteBlockHeader(header, std::span<uint8_t, kBlockHeaderBytes>(
                               reinterpret_cast<uint8_t*>(block.data()), kBlockHeaderBytes));
  return block;
}

TEST_F(DamagedFile, NewerVersionsAndKindsOfBlocksAreCountedAndPassedOver) {
  const std::string newer =
      NewerBlock(bytes_, block_ends_[0], kBlockVersion + 1, BlockKind::kEvents);
  const std::string unknown =
      NewerBlock(bytes_, block_ends_[0], kBlockVersion, static_cast<BlockKind>(99));
  const Result result = ReadWith(newer + bytes_ + unknown);
  EXPECT_EQ(result.lines, lines_);
  ReadDamage expected;
  expected.unknown_blocks = 2;
  expected.skipped_bytes = newer.size() + unknown.size();
  EXPECT_EQ(result.damage, expected);
}

TEST_F(DamagedFile, ASessionOfANewerFormatIsRefusedWithTheReason) {
  pb::Session session;
  session.set_format_version(kSessionFormatVersion + 1);
  WriteWholeFile(session_ + "/session.pb", session.SerializeAsString());
  const auto reader = SessionReader::Open(session_);
  EXPECT_EQ(reader.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(reader.status().message()), HasSubstr("newer gordian"));
}

TEST_F(DamagedFile, IsReadWithoutASessionFile) {
  std::filesystem::remove(session_ + "/session.pb");
  const Result result = ReadWith(bytes_);
  EXPECT_EQ(result.lines, lines_);
  EXPECT_EQ(result.damage.unreadable_files, 1u);
}

TEST_F(DamagedFile, AFolderInPlaceOfASegmentIsUnreadable) {
  std::filesystem::create_directory(session_ + "/cpu-001.trace");
  const Result result = ReadWith(bytes_);
  EXPECT_EQ(result.lines, lines_);
  EXPECT_EQ(result.damage.unreadable_files, 1u);
}

// A segment of a running flight recorder may go away between Open and Read.
TEST_F(DamagedFile, ASegmentThatGoesAwayWhileItIsReadIsCounted) {
  auto reader = SessionReader::Open(session_);
  ASSERT_TRUE(reader.ok());
  std::filesystem::resize_file(session_ + kFile, block_ends_[0]);
  EXPECT_EQ(MergedTimes(**reader).size(), lines_.size() / 3);
  EXPECT_EQ((*reader)->damage().corrupt_blocks, 2u);
}

}  // namespace
}  // namespace gordian
