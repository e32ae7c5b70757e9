// SPDX-License-Identifier: Apache-2.0
// (tests/browser/live_test.py follows a recording that really grows.)
#include "serve/live_recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/support/temp_dir.h"
#include "tests/support/varying_trace.h"

namespace gordian {
namespace {

using ::testing::HasSubstr;
using testing::TempDir;
using testing::VaryingTrace;

class LiveRecordingOfAFolder : public ::testing::Test {
 protected:
  LiveRecordingOfAFolder() { EXPECT_TRUE(VaryingTrace({}).WriteSession(dir_ / "trace").ok()); }

  std::unique_ptr<LiveRecording> Follow(const std::string& directory) {
    LiveSource source{.name = "trace", .directory = directory};
    source.folders = [directory] {
      return absl::StatusOr<std::vector<LiveNodeFolder>>({{.directory = directory}});
    };
    LiveOptions options;
    options.window_ns = 1'000'000'000;
    auto live = std::make_unique<LiveRecording>(source, options, ServedOptions{});
    live->Start();
    while (live->is_busy()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return live;
  }

  TempDir dir_;
};

TEST_F(LiveRecordingOfAFolder, TellsItsLastFrameAndThatItEnded) {
  const auto live = Follow(dir_ / "trace");
  EXPECT_EQ(live->status().state, ServedState::kReady);
  const auto frame = live->NewestFrame(0);
  ASSERT_TRUE(frame.ok()) << frame.status();
  EXPECT_THAT(*frame, HasSubstr("\"ended\":true"));
  EXPECT_THAT(*frame, HasSubstr("\"verdict\":"));
  EXPECT_THAT(live->StripJson(), HasSubstr("\"judged\":true"));
}

TEST_F(LiveRecordingOfAFolder, TellsAFrameOnce) {
  const auto live = Follow(dir_ / "trace");
  const auto served = live->analysis({});
  ASSERT_TRUE(served.ok());
  const auto frame = live->NewestFrame((*served)->number());
  ASSERT_TRUE(frame.ok());
  EXPECT_THAT(*frame, HasSubstr("\"frame\":null"));
}

TEST_F(LiveRecordingOfAFolder, AnswersAllViewsAboutTheSameWindow) {
  const auto live = Follow(dir_ / "trace");
  const auto newest = live->analysis({});
  ASSERT_TRUE(newest.ok());
  const auto pinned = live->analysis((*newest)->number());
  ASSERT_TRUE(pinned.ok());
  EXPECT_EQ(*newest, *pinned);
  EXPECT_LE((*newest)->analysis().range().length_ns(), 1'000'000'000u);
  const auto page = live->page((*newest)->number());
  ASSERT_TRUE(page.ok());
  EXPECT_THAT(**page, HasSubstr("\"report\":"));
}

TEST_F(LiveRecordingOfAFolder, SaysThatAMomentIsNotKept) {
  const auto live = Follow(dir_ / "trace");
  EXPECT_TRUE(absl::IsNotFound(live->analysis(12345).status()));
  EXPECT_TRUE(absl::IsNotFound(live->FrameOfNumber(12345).status()));
}

TEST_F(LiveRecordingOfAFolder, SaysWhatIsWrongWithTheFolder) {
  const auto live = Follow(dir_ / "nothing");
  EXPECT_EQ(live->status().state, ServedState::kFailed);
  EXPECT_FALSE(live->analysis({}).ok());
  EXPECT_FALSE(live->NewestFrame(0).ok());
}

}  // namespace
}  // namespace gordian
