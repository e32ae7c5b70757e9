// SPDX-License-Identifier: Apache-2.0
#include "trace/recording_fingerprint.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "trace/session_symbols.h"
#include "trace/session_writer.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

namespace fs = std::filesystem;

class RecordingFingerprintTest : public ::testing::Test {
 protected:
  RecordingFingerprintTest() { WriteRecording(); }

  void WriteRecording() {
    auto writer = SessionWriter::Create(directory_, {});
    ASSERT_TRUE(writer.ok()) << writer.status();
    for (const uint16_t cpu : {0, 1}) {
      EventBlock block = BusyBlock(cpu, 100, 1'000);
      ASSERT_TRUE((*writer)->AppendEvents(block).ok());
    }
    pb::Session session;
    session.set_name("one");
    ASSERT_TRUE((*writer)->WriteSession(session).ok());
  }
  std::string Fingerprint() const {
    const auto reader = SessionReader::Open(directory_);
    EXPECT_TRUE(reader.ok()) << reader.status();
    const auto fingerprint = RecordingFingerprint(**reader);
    EXPECT_TRUE(fingerprint.ok()) << fingerprint.status();
    return *fingerprint;
  }

  const TemporaryDirectory temporary_;
  const std::string directory_ = temporary_ / "recording";
};

TEST_F(RecordingFingerprintTest, IsTheSameEachTimeARecordingIsOpened) {
  const std::string first = Fingerprint();
  EXPECT_EQ(first.size(), 32u);
  EXPECT_EQ(Fingerprint(), first);
  SessionReader::Open(directory_).value()->ReadResources().IgnoreError();
  EXPECT_EQ(Fingerprint(), first);
}

TEST_F(RecordingFingerprintTest, StaysWhenTheFolderIsRenamed) {
  const std::string before = Fingerprint();
  fs::rename(directory_, temporary_ / "moved");
  const auto reader = SessionReader::Open(temporary_ / "moved");
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ(*RecordingFingerprint(**reader), before);
}

TEST_F(RecordingFingerprintTest, IsAnotherWhenAFileGrowsOrGoes) {
  const std::string before = Fingerprint();
  const std::string segment = directory_ + "/cpu-001.trace";
  WriteWholeFile(segment, ReadWholeFile(segment) + "x");
  const std::string grown = Fingerprint();
  EXPECT_NE(grown, before);
  fs::remove(segment);
  EXPECT_NE(Fingerprint(), before);
  EXPECT_NE(Fingerprint(), grown);
}

TEST_F(RecordingFingerprintTest, IsAnotherWhenSymbolsComeOrChange) {
  const std::string without = Fingerprint();
  pb::Symbols symbols;
  symbols.add_text("");
  ASSERT_TRUE(WriteSymbols(directory_, symbols).ok());
  const std::string with = Fingerprint();
  EXPECT_NE(with, without);
  symbols.add_text("main");
  ASSERT_TRUE(WriteSymbols(directory_, symbols).ok());
  EXPECT_NE(Fingerprint(), with);
}

// The header of a block does not tell its content.
TEST_F(RecordingFingerprintTest, IsAnotherForACopyWithTheSameHeaders) {
  const std::string before = Fingerprint();
  const std::string segment = directory_ + "/cpu-000.trace";
  std::string bytes = ReadWholeFile(segment);
  bytes[bytes.size() / 2 + 50] ^= 1;
  fs::rename(segment, temporary_ / "aside");
  WriteWholeFile(segment, bytes);
  fs::last_write_time(segment, fs::last_write_time(temporary_ / "aside"));
  EXPECT_NE(Fingerprint(), before);
}

TEST_F(RecordingFingerprintTest, IsAnotherWhenSessionFileChanges) {
  const std::string before = Fingerprint();
  pb::Session session;
  ASSERT_TRUE(session.ParseFromString(ReadWholeFile(directory_ + "/session.pb")));
  session.set_name("two");
  WriteWholeFile(directory_ + "/session.pb", session.SerializeAsString());
  EXPECT_NE(Fingerprint(), before);
}

TEST(RecordingFingerprint, NeedsAFolder) {
  const auto held = SessionReader::Held(pb::Session(), {}, nullptr);
  EXPECT_TRUE(absl::IsFailedPrecondition(RecordingFingerprint(*held).status()));
}

}  // namespace
}  // namespace gordian
