// SPDX-License-Identifier: Apache-2.0
// Several recorders at once do not disturb each other.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "recorder/recording/recording.h"
#include "recorder/sessions/test_directory.h"
#include "recorder/sources/clock.h"
#include "tests/recording/played_puppet.h"
#include "tests/support/recorded_session.h"

namespace gordian::testing {
namespace {

bool Knows(const RecordedSession& recorded, int32_t tid) {
  for (const TraceEvent& event : recorded.events) {
    if (event.kind == EventKind::kWake && event.wake.wakee_tid == tid) return true;
  }
  return false;
}

// Two recordings: of one piece both, of a second piece only the second.
struct TwoRecordings {
  PlayedPuppet first;
  PlayedPuppet second;
  PlayedPuppet second_alone;
};

absl::StatusOr<PlayedPuppet> LoadAndJudge(const std::string& directory,
                                          const puppets::pb::Report& report, uint64_t until_ns) {
  absl::StatusOr<RecordedSession> recorded = LoadSession(directory);
  if (!recorded.ok()) return recorded.status();
  return Judge(report, *std::move(recorded), until_ns);
}

void RecordTwice(TwoRecordings& recordings) {
  const TestDirectory folder;
  auto first = Recording::Start({.directory = folder.path() + "/first"});
  ASSERT_TRUE(first.ok()) << first.status();
  auto second = Recording::Start({.directory = folder.path() + "/second"});
  ASSERT_TRUE(second.ok()) << second.status();
  const auto for_both = PlayPuppet({"futex-ping-pong", "--rounds", "500"});
  ASSERT_TRUE(for_both.ok()) << for_both.status();
  const uint64_t first_until_ns = MonotonicNowNs();
  ASSERT_TRUE((*first)->Stop(EndReason::kAsked).ok());
  const auto for_second = PlayPuppet({"mutex", "--rounds", "200"});
  ASSERT_TRUE(for_second.ok()) << for_second.status();
  const uint64_t second_until_ns = MonotonicNowNs();
  ASSERT_TRUE((*second)->Stop(EndReason::kAsked).ok());

  auto in_first = LoadAndJudge(folder.path() + "/first", *for_both, first_until_ns);
  ASSERT_TRUE(in_first.ok()) << in_first.status();
  auto in_second = LoadAndJudge(folder.path() + "/second", *for_both, first_until_ns);
  ASSERT_TRUE(in_second.ok()) << in_second.status();
  auto alone = LoadAndJudge(folder.path() + "/second", *for_second, second_until_ns);
  ASSERT_TRUE(alone.ok()) << alone.status();
  recordings = {*std::move(in_first), *std::move(in_second), *std::move(alone)};
}

TEST(Together, TwoRecordersBothSeeEverythingAndOneGoesOnWhenTheOtherEnds) {
  constexpr int kTries = 40;  // if the machine hides threads from BPF that run meanwhile
  TwoRecordings recordings;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    RecordTwice(recordings);
    if (HasFatalFailure()) return;
    if (!recordings.first.disturbed && !recordings.second.disturbed &&
        !recordings.second_alone.disturbed) {
      break;
    }
  }
  ExpectExact(recordings.first);
  ExpectExact(recordings.second);
  ExpectExact(recordings.second_alone);
  const int32_t late_tid = recordings.second_alone.report.actors(0).tid();
  EXPECT_FALSE(Knows(recordings.first.recorded, late_tid));
  EXPECT_TRUE(Knows(recordings.second.recorded, late_tid));
}

TEST(Together, OneFolderHoldsOneRecording) {
  const TestDirectory folder;
  absl::StatusOr<std::unique_ptr<Recording>> first =
      Recording::Start({.directory = folder.path() + "/session"});
  ASSERT_TRUE(first.ok()) << first.status();
  const absl::StatusOr<std::unique_ptr<Recording>> second =
      Recording::Start({.directory = folder.path() + "/session"});
  EXPECT_EQ(second.status().code(), absl::StatusCode::kAlreadyExists) << second.status();
  ASSERT_TRUE((*first)->Stop(EndReason::kAsked).ok());
  const absl::StatusOr<RecordedSession> recorded = LoadSession(folder.path() + "/session");
  ASSERT_TRUE(recorded.ok()) << recorded.status();
  ExpectWhole(*recorded);
}

}  // namespace
}  // namespace gordian::testing
