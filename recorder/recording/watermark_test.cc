// SPDX-License-Identifier: Apache-2.0
// A time counts as drained only after a drain that began when all programs from before had ended,
// and that came to the end of every ring.
#include "recorder/recording/watermark.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <thread>

namespace gordian {
namespace {

constexpr uint64_t kMsNs = 1'000'000;

// Programs that end when the test lets them.
class RunningPrograms {
 public:
  bool Await() {
    std::unique_lock lock(mutex_);
    ++waits_begun_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return endings_ > 0; });
    --endings_;
    return ends_well_;
  }
  void End(bool well = true) {
    const std::lock_guard lock(mutex_);
    ends_well_ = well;
    ++endings_;
    changed_.notify_all();
  }
  void AwaitWait(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waits_begun_ >= count; });
  }
  int waits_begun() {
    const std::lock_guard lock(mutex_);
    return waits_begun_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int waits_begun_ = 0;
  int endings_ = 0;
  bool ends_well_ = true;
};

class WatermarkTest : public ::testing::Test {
 protected:
  void Drain(bool reaches_ends = true) {
    watermark_.DrainBegins();
    watermark_.DrainEnds(reaches_ends);
  }
  // Drains on until it counts: it does, once the thread has told of the programs' end.
  void DrainUntilItCounts() {
    const uint64_t before_ns = watermark_.drained_until_ns();
    while (watermark_.drained_until_ns() == before_ns) {
      Drain();
      std::this_thread::yield();
    }
  }

  RunningPrograms programs_;
  Watermark watermark_{[this] { return programs_.Await(); }};
};

TEST_F(WatermarkTest, IsNotKnownBeforeItWasAsked) {
  Drain();
  EXPECT_EQ(watermark_.drained_until_ns(), 0u);
}

TEST_F(WatermarkTest, StandsALittleBeforeTheTimeThatWasAsked) {
  watermark_.Ask(700 * kMsNs);
  programs_.End();
  DrainUntilItCounts();
  EXPECT_EQ(watermark_.drained_until_ns(), 699 * kMsNs);
}

TEST_F(WatermarkTest, StandsStillWhileAProgramFromBeforeRuns) {
  watermark_.Ask(700 * kMsNs);
  programs_.AwaitWait(1);
  for (int i = 0; i < 100; ++i) Drain();
  EXPECT_EQ(watermark_.drained_until_ns(), 0u);
  // A drain that had begun by then may have passed its place already.
  watermark_.DrainBegins();
  programs_.End();
  watermark_.DrainEnds(true);
  EXPECT_EQ(watermark_.drained_until_ns(), 0u);
  DrainUntilItCounts();
}

TEST_F(WatermarkTest, StandsStillWhileADrainLeavesRecordsBehind) {
  watermark_.Ask(700 * kMsNs);
  programs_.End();
  for (int i = 0; i < 100; ++i) Drain(false);
  EXPECT_EQ(watermark_.drained_until_ns(), 0u);
  DrainUntilItCounts();
}

TEST_F(WatermarkTest, OneTimeIsWaitedForAtATime) {
  watermark_.Ask(700 * kMsNs);
  watermark_.Ask(800 * kMsNs);
  programs_.End();
  DrainUntilItCounts();
  EXPECT_EQ(watermark_.drained_until_ns(), 699 * kMsNs);
  EXPECT_EQ(programs_.waits_begun(), 1);
  watermark_.Ask(900 * kMsNs);
  programs_.End();
  DrainUntilItCounts();
  EXPECT_EQ(watermark_.drained_until_ns(), 899 * kMsNs);
}

TEST_F(WatermarkTest, ANewTimeIsAskedWhenTheKernelCannotTell) {
  watermark_.Ask(700 * kMsNs);
  programs_.End(false);
  // Ignored until the thread has told of the failure.
  for (uint64_t now_ns = 800 * kMsNs; programs_.waits_begun() < 2; now_ns += kMsNs) {
    Drain();
    watermark_.Ask(now_ns);
    std::this_thread::yield();
  }
  programs_.End();
  DrainUntilItCounts();
  EXPECT_GE(watermark_.drained_until_ns(), 799 * kMsNs);
}

TEST_F(WatermarkTest, NeverGoesBack) {
  watermark_.Ask(700 * kMsNs);
  programs_.End();
  DrainUntilItCounts();
  watermark_.Ask(600 * kMsNs);
  programs_.End();
  programs_.AwaitWait(2);
  for (int i = 0; i < 1000; ++i) Drain();
  EXPECT_EQ(watermark_.drained_until_ns(), 699 * kMsNs);
}

}  // namespace
}  // namespace gordian
