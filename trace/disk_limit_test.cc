// SPDX-License-Identifier: Apache-2.0
// Full disks and size limits: the appended events stay readable, and the error tells the cause.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "trace/session_reader.h"
#include "trace/session_writer.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

using ::testing::HasSubstr;

// Appends until it fails; checks that exactly the events appended before can be read, and gives
// back the error.
absl::Status FillUp(SessionWriter& writer, uint64_t& appended_events) {
  uint64_t now_ns = 1'000;
  appended_events = 0;
  for (uint32_t round = 0; round < 10'000; ++round) {
    EventBlock block = BusyBlock(static_cast<uint16_t>(round % 3), 3000, now_ns, round);
    now_ns = block.events.back().time_ns;
    if (auto status = writer.AppendEvents(block); !status.ok()) {
      EXPECT_EQ(block.events.size(), 3000u) << "what was not written stays with the caller";
      return status;
    }
    appended_events += 3000;
  }
  return absl::OkStatus();
}

void ExpectReadable(const std::string& session, uint64_t events) {
  auto reader = SessionReader::Open(session);
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_EQ(MergedTimes(**reader).size(), events);
  EXPECT_EQ((*reader)->damage(), ReadDamage{});
}

TEST(SizeLimit, EndsAppendsAndLeavesRoomForTheSessionFile) {
  const TemporaryDirectory directory;
  constexpr uint64_t kMaxBytes = 200'000;
  auto writer = SessionWriter::Create(directory / "s", {.max_bytes = kMaxBytes});
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE((*writer)->WriteSession({}).ok());
  uint64_t appended = 0;
  const auto status = FillUp(**writer, appended);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), HasSubstr("size limit of 200000 bytes"));
  EXPECT_TRUE((*writer)->size_limit_reached());
  EXPECT_GT(appended, 0u);
  pb::Session session;
  session.set_complete(true);
  EXPECT_TRUE((*writer)->WriteSession(session).ok());
  EXPECT_LE(BytesIn(directory / "s"), kMaxBytes);
  EXPECT_EQ(BytesIn(directory / "s"), (*writer)->bytes_on_disk());
  ExpectReadable(directory / "s", appended);
}

// A small file system of its own; gone at the end of the scope.
class SmallDisk {
 public:
  explicit SmallDisk(const std::string& path) : path_(path) {
    std::filesystem::create_directory(path_);
    is_mounted_ = mount("tmpfs", path_.c_str(), "tmpfs", 0, "size=1m") == 0;
    error_ = errno;
  }
  ~SmallDisk() {
    if (is_mounted_) umount2(path_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  bool is_mounted() const { return is_mounted_; }
  const char* error() const { return strerror(error_); }

 private:
  std::string path_;
  bool is_mounted_ = false;
  int error_ = 0;
};

TEST(FullDisk, LeavesWhatWasAppendedReadable) {
  const TemporaryDirectory directory;
  const SmallDisk disk(directory / "disk");
  if (!disk.is_mounted()) GTEST_SKIP() << "cannot mount a small tmpfs here: " << disk.error();
  const std::string session = directory / "disk/s";
  WriteWholeFile(directory / "disk/filler", std::string(100'000, 'x'));
  auto writer = SessionWriter::Create(session, {});
  ASSERT_TRUE(writer.ok()) << writer.status();
  ASSERT_TRUE((*writer)->WriteSession({}).ok());
  uint64_t appended = 0;
  const auto status = FillUp(**writer, appended);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), HasSubstr("No space left on device"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("free some space"));
  EXPECT_FALSE((*writer)->size_limit_reached());
  EXPECT_GT(appended, 0u);
  EXPECT_EQ(BytesIn(session), (*writer)->bytes_on_disk());
  ExpectReadable(session, appended);

  // With room again it goes on.
  std::filesystem::remove(directory / "disk/filler");
  EventBlock block = BusyBlock(0, 3000, 1);
  EXPECT_TRUE((*writer)->AppendEvents(block).ok());
  ExpectReadable(session, appended + 3000);
}

TEST(FullDisk, AFailedSnapshotLeavesNothingBehind) {
  const TemporaryDirectory directory;
  const SmallDisk disk(directory / "disk");
  if (!disk.is_mounted()) GTEST_SKIP() << "cannot mount a small tmpfs here: " << disk.error();
  auto writer = SessionWriter::Create(directory / "s", {});
  ASSERT_TRUE(writer.ok());
  for (uint32_t round = 0; round < 300; ++round) {
    EventBlock block = BusyBlock(0, 3000, round * 1'000'000'000, round);
    ASSERT_TRUE((*writer)->AppendEvents(block).ok());
  }
  ASSERT_GT((*writer)->bytes_on_disk(), 1u << 20);
  EXPECT_EQ((*writer)->Snapshot(directory / "disk/cut", {}).code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_FALSE(std::filesystem::exists(directory / "disk/cut"));
}

// A limit on the size of files stops writes in their middle, as some file systems do when they are
// full.
TEST(FullDisk, TakesBackABlockThatWasWrittenInPart) {
  const TemporaryDirectory directory;
  auto writer = SessionWriter::Create(directory / "s", {});
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE((*writer)->WriteSession({}).ok());
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit limit = before;
  limit.rlim_cur = 100'000;
  const auto old_handler = signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  uint64_t appended = 0;
  const auto status = FillUp(**writer, appended);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, old_handler);

  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_GT(appended, 0u);
  EXPECT_LT(BytesIn(directory / "s"), 3 * 100'000u);
  ExpectReadable(directory / "s", appended);
  EventBlock block = BusyBlock(0, 3000, 1);
  ASSERT_TRUE((*writer)->AppendEvents(block).ok());
  ExpectReadable(directory / "s", appended + 3000);
}

}  // namespace
}  // namespace gordian
