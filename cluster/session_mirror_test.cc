// SPDX-License-Identifier: Apache-2.0
#include "cluster/session_mirror.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cluster/test_node.h"
#include "trace/session_reader.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

using ::testing::HasSubstr;
using Phase = MirrorState::Phase;

// Only a failing test waits this long.
constexpr auto kMirrorPatience = std::chrono::minutes(1);

class SessionMirrorTest : public ::testing::Test {
 protected:
  void SetUp() override { node_.Serve(); }

  std::unique_ptr<SessionMirror> Follow(ControlClient& client, MirrorOptions options = {}) {
    options.session = "web";
    if (options.directory.empty()) options.directory = directory_ / "mirror";
    auto mirror = SessionMirror::Start(client, options);
    EXPECT_TRUE(mirror.ok()) << mirror.status();
    return *std::move(mirror);
  }
  static MirrorState Await(const SessionMirror& mirror,
                           const std::function<bool(const MirrorState&)>& holds) {
    const auto give_up = std::chrono::steady_clock::now() + kMirrorPatience;
    while (!holds(mirror.state()) && std::chrono::steady_clock::now() < give_up)
      mirror.AwaitEnd(std::chrono::milliseconds(5));
    EXPECT_TRUE(holds(mirror.state())) << mirror.state().error;
    return mirror.state();
  }
  static MirrorState AwaitTime(const SessionMirror& mirror, uint64_t complete_until_ns) {
    return Await(mirror, [&](const MirrorState& state) {
      return state.counts.complete_until_ns >= complete_until_ns || state.is_over();
    });
  }
  static MirrorState AwaitOver(const SessionMirror& mirror) {
    return Await(mirror, [](const MirrorState& state) { return state.is_over(); });
  }

  // A block of each of two CPUs and the session.pb behind; returns its watermark.
  uint64_t Flush(SessionWriter& writer, size_t events = 50) {
    for (uint16_t cpu = 0; cpu < 2; ++cpu) {
      EventBlock block = BusyBlock(cpu, events, now_ns_, static_cast<uint32_t>(now_ns_));
      EXPECT_TRUE(writer.AppendEvents(block).ok());
    }
    now_ns_ += 1'000'000'000;
    node_.fakes().controls("web").SetThreadsNs(now_ns_);
    pb::Session session;
    session.set_start_time_ns(1);
    session.set_complete_until_ns(now_ns_);
    EXPECT_TRUE(writer.WriteSession(session).ok());
    return now_ns_;
  }
  std::string Mirrored(const std::string& file) const {
    return ReadWholeFile(directory_ / "mirror/" + file);
  }
  std::string Original(const std::string& file) const {
    return ReadWholeFile(node_.Folder("web") + "/" + file);
  }

  TestNode node_;
  const TemporaryDirectory directory_;
  uint64_t now_ns_ = 1'000'000'000;
};

TEST_F(SessionMirrorTest, ASessionFollowedFromItsBeginningIsTheSameHere) {
  ControlClient client = node_.Client(HolderKind::kOperator, "alice");
  SessionWriter& writer = node_.Arm("web");
  const auto mirror = Follow(client);
  Await(*mirror, [](const MirrorState& state) { return state.phase == Phase::kFollowing; });
  node_.Begin("web");
  for (int i = 0; i < 5; ++i) AwaitTime(*mirror, Flush(writer));
  ASSERT_TRUE(node_.sessions().Stop("web").ok());
  const MirrorState state = AwaitOver(*mirror);
  EXPECT_EQ(state.phase, Phase::kEnded) << state.error;
  EXPECT_EQ(state.end_reason, "asked");
  EXPECT_EQ(state.counts.events, 500u);
  EXPECT_EQ(state.counts.skipped_blocks, 0u);
  for (const char* file : {"cpu-000.trace", "cpu-001.trace"})
    EXPECT_TRUE(Mirrored(file) == Original(file)) << file;
  EXPECT_THAT(node_.AuditText(), HasSubstr(R"("action":"follow","session":"web","result":"done")"));
}

TEST_F(SessionMirrorTest, ViewersMayNotFollow) {
  ControlClient viewer = node_.Client(HolderKind::kViewer, "bob");
  node_.Arm("web");
  const auto mirror = Follow(viewer);
  const MirrorState state = AwaitOver(*mirror);
  EXPECT_EQ(state.phase, Phase::kFailed);
  EXPECT_THAT(state.error.message(), HasSubstr("only operators may follow"));
  EXPECT_FALSE(std::filesystem::exists(directory_ / "mirror")) << "nothing is left of it";
  EXPECT_THAT(node_.AuditText(), HasSubstr(R"("result":"refused")"));
}

TEST_F(SessionMirrorTest, WhatDoesNotRunCannotBeFollowed) {
  ControlClient client = node_.Client(HolderKind::kOperator, "alice");
  const auto mirror = Follow(client);
  EXPECT_THAT(AwaitOver(*mirror).error.message(), HasSubstr("no session 'web'"));
}

TEST_F(SessionMirrorTest, ACutConnectionGoesOnWhereItStopped) {
  ControlClient client = node_.Client(HolderKind::kOperator, "alice");
  SessionWriter& writer = node_.Arm("web");
  const auto mirror = Follow(client);
  Await(*mirror, [](const MirrorState& state) { return state.phase == Phase::kFollowing; });
  node_.Begin("web");
  AwaitTime(*mirror, Flush(writer));
  node_.StopServing();
  Await(*mirror, [](const MirrorState& state) { return state.phase == Phase::kConnecting; });
  Flush(writer);
  const uint64_t last_ns = Flush(writer);
  node_.Serve();
  const MirrorState state = AwaitTime(*mirror, last_ns);
  EXPECT_EQ(state.phase, Phase::kFollowing);
  EXPECT_EQ(state.counts.skipped_events, 0u);
  for (const char* file : {"cpu-000.trace", "cpu-001.trace"})
    EXPECT_TRUE(Mirrored(file) == Original(file)) << file;
}

TEST_F(SessionMirrorTest, ANodeThatDoesNotComeBackIsGivenUp) {
  ControlClient client = node_.Client(HolderKind::kOperator, "alice");
  SessionWriter& writer = node_.Arm("web");
  const auto mirror = Follow(client, {.patience = std::chrono::seconds(1)});
  Await(*mirror, [](const MirrorState& state) { return state.phase == Phase::kFollowing; });
  node_.Begin("web");
  AwaitTime(*mirror, Flush(writer));
  node_.StopServing();
  const MirrorState state = AwaitOver(*mirror);
  EXPECT_EQ(state.phase, Phase::kFailed);
  EXPECT_TRUE(absl::IsUnavailable(state.error)) << state.error;
  const auto reader = SessionReader::Open(directory_ / "mirror");
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_FALSE((*reader)->session().complete());
  EXPECT_EQ((*reader)->cpus().size(), 2u) << "what came is there";
}

TEST_F(SessionMirrorTest, ASlowFollowerIsToldWhatItMissedAndTheRecordingLosesNothing) {
  node_.StopServing();
  node_.Serve(200'000);  // bytes a second
  ControlClient client = node_.Client(HolderKind::kOperator, "alice");
  SessionWriter& writer = node_.Arm("web");
  const auto mirror = Follow(client, {.max_behind_bytes = 50'000});
  Await(*mirror, [](const MirrorState& state) { return state.phase == Phase::kFollowing; });
  node_.Begin("web");
  uint64_t events = 0;
  while (mirror->state().counts.skipped_events == 0 && !mirror->state().is_over()) {
    Flush(writer, 5000);
    events += 10'000;
  }
  AwaitTime(*mirror, Flush(writer));
  events += 100;
  mirror->Stop();
  EXPECT_EQ(mirror->state().phase, Phase::kStopped);
  EXPECT_EQ(writer.events_written(), events);
  const auto reader = SessionReader::Open(directory_ / "mirror");
  ASSERT_TRUE(reader.ok()) << reader.status();
  uint64_t here = 0;
  uint64_t lost = 0;
  for (const auto& cpu : (*reader)->cpus()) {
    for (const BlockInfo& block : cpu->blocks()) {
      here += block.lost == 0 ? block.events : 0;
      lost += block.lost;
    }
  }
  EXPECT_GT(lost, 0u);
  EXPECT_EQ(here + lost, events) << "each event is there, or told as lost";
  EXPECT_EQ((*reader)->damage(), ReadDamage());
}

TEST_F(SessionMirrorTest, FollowersDoNotTouchEachOtherAndTheirNumberIsBounded) {
  constexpr int kMost = 8;
  ControlClient client = node_.Client(HolderKind::kOperator, "alice");
  SessionWriter& writer = node_.Arm("web");
  std::vector<std::unique_ptr<SessionMirror>> mirrors;
  for (int i = 0; i < kMost; ++i) {
    mirrors.push_back(Follow(client, {.directory = directory_ / std::to_string(i)}));
    Await(*mirrors.back(),
          [](const MirrorState& state) { return state.phase == Phase::kFollowing; });
  }
  const auto refused = Follow(client);
  EXPECT_THAT(AwaitOver(*refused).error.message(), HasSubstr("followers are served here already"));
  node_.Begin("web");
  const uint64_t first_ns = Flush(writer);
  for (const auto& mirror : mirrors) AwaitTime(*mirror, first_ns);
  mirrors.pop_back();
  const uint64_t second_ns = Flush(writer);
  for (const auto& mirror : mirrors) {
    const MirrorState state = AwaitTime(*mirror, second_ns);
    EXPECT_EQ(state.counts.events, 200u);
  }
}

TEST_F(SessionMirrorTest, TheFolderIsThereFromTheBeginningAndIsNobodyElses) {
  ControlClient client = node_.Client(HolderKind::kOperator, "alice");
  std::filesystem::create_directory(directory_ / "taken");
  WriteWholeFile(directory_ / "taken/file", "x");
  const auto mirror =
      SessionMirror::Start(client, {.session = "web", .directory = directory_ / "taken"});
  EXPECT_TRUE(absl::IsAlreadyExists(mirror.status())) << mirror.status();
}

}  // namespace
}  // namespace gordian
