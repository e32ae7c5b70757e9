// SPDX-License-Identifier: Apache-2.0
// The timeline of a recording is followed while it is written, on the real kernel: its windows are
// those of the recording when it is read at its end, whatever happens to its recorder.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "analyzer/testing/gathered_windows.h"
#include "analyzer/timeline/timeline_stream.h"
#include "base/time_units.h"
#include "recorder/recording/recording.h"
#include "tests/program.h"
#include "tests/recording/played_puppet.h"
#include "tests/recording/slow_recorder.h"
#include "tests/support/temp_dir.h"

namespace gordian::testing {
namespace {

using namespace std::chrono_literals;

constexpr StreamOptions kTenths{.window_ns = kNsPerSecond / 10, .threads = 1};

// Follows a session on a thread of its own.
class WindowFollower {
 public:
  explicit WindowFollower(std::string directory) : directory_(std::move(directory)) {
    thread_ = std::thread([this] {
      while (!stops_) {
        Look();
        std::this_thread::sleep_for(5ms);
      }
    });
  }
  ~WindowFollower() { Stop(); }
  size_t windows() const { return windows_; }
  size_t pauses() const { return pauses_; }

  // Of the session as it was left: nobody writes it any more.
  void CheckEnd() {
    Stop();
    ASSERT_NE(stream_, nullptr);
    const size_t while_growing = windows_;
    stream_->EndHere();
    Look();
    EXPECT_TRUE(stream_->ended());
    EXPECT_GT(while_growing, 0u);
    EXPECT_EQ(stream_->told_late(), 0u);
    EXPECT_EQ(stream_->lost_blocks(), 0u);
    EXPECT_EQ(stream_->forgotten(), 0u);
    EXPECT_EQ(
        FirstDifference(LinesOfFinished(directory_, kTenths), gathered_.Lines(*stream_, false)),
        "");
  }

 private:
  void Stop() {
    stops_ = true;
    if (thread_.joinable()) thread_.join();
  }
  void Look() {
    if (!stream_) {
      auto stream = TimelineStream::Follow(directory_, kTenths);
      if (!stream.ok()) return;
      stream_ = *std::move(stream);
    }
    while (true) {
      const auto window = stream_->Next();
      ASSERT_TRUE(window.ok()) << window.status();
      pauses_ = stream_->pauses().count();
      if (*window == nullptr) return;
      gathered_.Take(**window);
      ++windows_;
    }
  }

  const std::string directory_;
  std::unique_ptr<TimelineStream> stream_;
  GatheredWindows gathered_;
  std::atomic<size_t> windows_ = 0;
  std::atomic<size_t> pauses_ = 0;
  std::atomic<bool> stops_ = false;
  std::thread thread_;
};

class FollowedTimeline : public ::testing::Test {
 protected:
  static void LoadUntil(const WindowFollower& follower, size_t windows) {
    for (int rounds = 0; rounds < 400 && follower.windows() < windows; ++rounds)
      ASSERT_TRUE(PlayPuppet({"fork-storm", "--rounds", "50"}).ok());
    EXPECT_GE(follower.windows(), windows);
  }
  void Check(RecordingOptions options, size_t windows) {
    options.directory = Session();
    auto recording = Recording::Start(options);
    ASSERT_TRUE(recording.ok()) << recording.status();
    WindowFollower follower(Session());
    LoadUntil(follower, windows);
    ASSERT_TRUE((*recording)->Stop(EndReason::kAsked).ok());
    follower.CheckEnd();
  }
  std::string Session() const { return dir_ / "session"; }

  const TempDir dir_;
};

TEST_F(FollowedTimeline, IsThatOfTheFinishedRecording) { Check({}, 20); }

TEST_F(FollowedTimeline, IsThatOfARecordingWithStacks) { Check({.stacks = StackChoice::kAll}, 10); }

// Until it pauses for the third time. (How long a pause takes depends on what recording costs
// here.)
TEST_F(FollowedTimeline, IsThatOfARecordingThatPauses) {
  RecordingOptions options{
      .flush_interval = absl::Milliseconds(100),
      .budget_share = 0.03 / static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN))};
  options.directory = Session();
  auto recording = Recording::Start(options);
  ASSERT_TRUE(recording.ok()) << recording.status();
  WindowFollower follower(Session());
  while (follower.pauses() < 3) {
    ASSERT_TRUE(PlayPuppet({"fork-storm", "--rounds", "10"}).ok());
    std::this_thread::sleep_for(10ms);
  }
  ASSERT_TRUE((*recording)->Stop(EndReason::kAsked).ok());
  follower.CheckEnd();
}

// As a disk may hold it up at any moment.
TEST_F(FollowedTimeline, IsThatOfARecorderThatIsHeldUp) {
  BackgroundProgram recorder({GORDIAN_PROGRAM, "record", "--budget", "none", "-o", Session()}, {},
                             dir_ / "errors");
  WindowFollower follower(Session());
  LoadUntil(follower, 1);
  for (int round = 0; round < 20; ++round) {
    kill(recorder.pid(), SIGSTOP);
    ASSERT_TRUE(PlayPuppet({"fork-storm", "--rounds", "20"}).ok());
    kill(recorder.pid(), SIGCONT);
    ASSERT_TRUE(PlayPuppet({"fork-storm", "--rounds", "5"}).ok());
  }
  LoadUntil(follower, follower.windows() + 1);
  ASSERT_EQ(recorder.End(SIGINT), 0);
  follower.CheckEnd();
}

// The follower looks at what is on the disk, while the recorder waits for it.
class FollowedTimelineOnASlowDisk : public FollowedTimeline {
 protected:
  void SetUp() override {
    recorder_ = SlowRecorder::Start(dir_);
    ASSERT_NE(recorder_, nullptr);
    follower_ = std::make_unique<WindowFollower>(recorder_->Session());
  }

  std::unique_ptr<SlowRecorder> recorder_;
  std::unique_ptr<WindowFollower> follower_;
};

TEST_F(FollowedTimelineOnASlowDisk, IsThatOfTheFinishedRecording) {
  recorder_->disk().SetTimeOfChange(20ms);
  LoadUntil(*follower_, 20);
  recorder_->End();
  follower_->CheckEnd();
}

TEST_F(FollowedTimelineOnASlowDisk, IsThatOfARecorderWhoseWritesStall) {
  LoadUntil(*follower_, 1);
  for (int round = 0; round < 20; ++round) {
    recorder_->StallInTheMiddle();
    ASSERT_TRUE(PlayPuppet({"fork-storm", "--rounds", "20"}).ok());
    recorder_->disk().GoOn();
    ASSERT_TRUE(PlayPuppet({"fork-storm", "--rounds", "5"}).ok());
  }
  LoadUntil(*follower_, follower_->windows() + 1);
  recorder_->End();
  follower_->CheckEnd();
}

// What one CPU told is on the disk then, and what another did is not.
TEST_F(FollowedTimelineOnASlowDisk, IsThatOfARecorderThatIsKilledInTheMiddleOfAWrite) {
  LoadUntil(*follower_, 5);
  recorder_->StallInTheMiddle();
  recorder_->Kill();
  follower_->CheckEnd();
}

TEST_F(FollowedTimeline, IsThatOfAKilledRecorder) {
  BackgroundProgram recorder({GORDIAN_PROGRAM, "record", "--budget", "none", "-o", Session()}, {},
                             dir_ / "errors");
  WindowFollower follower(Session());
  LoadUntil(follower, 5);
  ASSERT_EQ(recorder.End(SIGKILL), 128 + SIGKILL);
  follower.CheckEnd();
}

}  // namespace
}  // namespace gordian::testing
