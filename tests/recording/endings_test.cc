// SPDX-License-Identifier: Apache-2.0
// Recordings that end badly stay readable: killed recorders and full disks.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "recorder/recording/recording.h"
#include "recorder/sessions/test_directory.h"
#include "recorder/sources/clock.h"
#include "recorder/sources/file_text.h"
#include "recorder/sources/text_fields.h"
#include "tests/program.h"
#include "tests/recording/played_puppet.h"
#include "tests/support/recorded_session.h"

namespace gordian::testing {
namespace {

constexpr uint64_t kSecondNs = 1'000'000'000;

// Until the recorder has written its first session.pb: it records by then. False if it ended
// instead.
bool AwaitRecording(BackgroundProgram& recorder, const std::string& directory) {
  while (!std::filesystem::exists(directory + "/session.pb")) {
    if (recorder.Ended()) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

BackgroundProgram Record(const std::string& directory, const std::string& errors_path) {
  return BackgroundProgram({GORDIAN_PROGRAM, "record", "-o", directory}, {}, errors_path);
}

std::string Errors(const std::string& path) { return ReadSmallFile(path).value_or(""); }

std::vector<std::string> Sleeper(const std::string& cpus) {
  return {PUPPET_PROGRAM, "timer", "--rounds", "1000000000", "--period-us", "200", "--cpus", cpus};
}

TEST(Endings, AKilledRecorderLeavesEverythingUpToItsLastSecond) {
  constexpr int kKills = 50;
  constexpr uint64_t kSeed = 20261121;
  constexpr int kLongestMs = 1800;
  // The promised time, and as much again for a machine that is busy with other things.
  constexpr uint64_t kOldestNs = kSecondNs;
  constexpr uint64_t kMarginNs = kSecondNs;

  // Something happens on two CPUs all the time, without taking them away from the recorder.
  BackgroundProgram first_sleeper(Sleeper("0,0"), {}, "/dev/null");
  BackgroundProgram second_sleeper(Sleeper("1,1"), {}, "/dev/null");
  std::mt19937 random(kSeed);
  for (int round = 0; round < kKills; ++round) {
    const TestDirectory folder;
    const std::string directory = folder.path() + "/session";
    const std::string errors_path = folder.path() + "/errors";
    BackgroundProgram recorder = Record(directory, errors_path);
    ASSERT_TRUE(AwaitRecording(recorder, directory)) << Errors(errors_path);
    const uint64_t started_ns = MonotonicNowNs();
    // The wait is the experiment: a random point of the recording.
    std::this_thread::sleep_for(std::chrono::microseconds(random() % (kLongestMs * 1000)));
    const uint64_t killed_ns = MonotonicNowNs();
    ASSERT_EQ(recorder.End(SIGKILL), 128 + SIGKILL);

    const absl::StatusOr<RecordedSession> recorded = LoadSession(directory);
    ASSERT_TRUE(recorded.ok()) << recorded.status();
    EXPECT_FALSE(recorded->session.complete());
    EXPECT_EQ(recorded->damage.corrupt_blocks, 0u);
    EXPECT_GT(recorded->tasks.size(), 0u) << "round " << round;
    if (killed_ns - started_ns <= kOldestNs + kMarginNs / 2) continue;
    ASSERT_FALSE(recorded->events.empty()) << "round " << round;
    EXPECT_GE(recorded->last_time_ns() + kOldestNs + kMarginNs, killed_ns) << "round " << round;
    EXPECT_GT(recorded->CountFromCpus(EventKind::kWake), 0u) << "round " << round;
  }
}

// A file system of its own that is soon full.
class SmallDisk {
 public:
  explicit SmallDisk(const char* size) {
    mounted_ = mount("gordian-test", folder_.path().c_str(), "tmpfs", 0,
                     absl::StrCat("size=", size).c_str()) == 0;
  }
  ~SmallDisk() {
    if (mounted_) umount2(folder_.path().c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  bool mounted() const { return mounted_; }
  std::string operator/(const std::string& name) const { return folder_.path() + "/" + name; }

 private:
  TestDirectory folder_;
  bool mounted_ = false;
};

void ExpectReadableUpToTheEnd(const std::string& directory) {
  const absl::StatusOr<RecordedSession> recorded = LoadSession(directory);
  ASSERT_TRUE(recorded.ok()) << recorded.status();
  EXPECT_EQ(recorded->damage.corrupt_blocks, 0u);
  EXPECT_EQ(recorded->session.end_reason(), "disk full");
  EXPECT_GT(recorded->CountFromCpus(EventKind::kSwitch), 0u);
  EXPECT_GT(recorded->CountFromCpus(EventKind::kWake), 0u);
}

TEST(Endings, AFullDiskEndsTheRecordingWithItsReasonAndKeepsWhatWasWritten) {
  const SmallDisk disk("768k");
  ASSERT_TRUE(disk.mounted());
  absl::StatusOr<std::unique_ptr<Recording>> recording =
      Recording::Start({.directory = disk / "session"});
  ASSERT_TRUE(recording.ok()) << recording.status();
  for (int storm = 0; storm < 200 && !(*recording)->Status().ended; ++storm) {
    ASSERT_TRUE(PlayPuppet({"pipe-ping-pong", "--rounds", "20000"}).ok());
  }
  const RecordingStatus ended = (*recording)->Status();
  ASSERT_TRUE(ended.ended);
  EXPECT_EQ(ended.end_reason, EndReason::kDiskFull);
  EXPECT_FALSE(ended.error.ok());
  (*recording)->Stop(EndReason::kAsked).IgnoreError();
  ExpectReadableUpToTheEnd(disk / "session");
}

TEST(Endings, TheCommandTellsOfAFullDiskInOneLineAndFails) {
  const SmallDisk disk("768k");
  ASSERT_TRUE(disk.mounted());
  const TestDirectory elsewhere;
  const std::string errors_path = elsewhere.path() + "/errors";
  BackgroundProgram recorder = Record(disk / "session", errors_path);
  ASSERT_TRUE(AwaitRecording(recorder, disk / "session")) << Errors(errors_path);
  for (int storm = 0; storm < 200 && !recorder.Ended(); ++storm) {
    ASSERT_TRUE(PlayPuppet({"pipe-ping-pong", "--rounds", "20000"}).ok());
  }
  const std::string text = Errors(errors_path);
  ASSERT_TRUE(recorder.Ended()) << text;
  EXPECT_EQ(recorder.End(SIGKILL), 1) << text;
  int telling_lines = 0;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view line = TakeLine(rest);
    if (line.find("No space left on device") == line.npos) continue;
    ++telling_lines;
    EXPECT_NE(line.find(disk / "session"), line.npos) << line;   // where
    EXPECT_NE(line.find("free some space"), line.npos) << line;  // how to mend it
  }
  EXPECT_EQ(telling_lines, 1) << text;
  ExpectReadableUpToTheEnd(disk / "session");
}

}  // namespace
}  // namespace gordian::testing
