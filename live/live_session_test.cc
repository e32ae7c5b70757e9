// SPDX-License-Identifier: Apache-2.0
// (tests/recording/live_test.cc compares frames of running recordings with later analyses.)
#include "live/live_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analysis/analysis.h"
#include "analyzer/testing/scenario.h"
#include "nodes/test_cluster.h"
#include "tests/support/temp_dir.h"
#include "trace/session_folder.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::TempDir;
using testing::TestCluster;
using testing::operator""_ms;
using testing::operator""_us;

// A front asks a back end, again and again; the answer takes 14 of 20 ms there.
constexpr uint16_t kFrontPort = 40'000;
constexpr uint16_t kBackPort = 80;
void RunRequests(TestCluster& t, uint32_t requests) {
  t.Node("front", {.bound_ns = 100'000});
  t.Node("back", {.skew_ns = -2'000'000'000, .bound_ns = 100'000});
  t.Flow(kFrontPort, kBackPort);
  t.Flow(kBackPort, kFrontPort);
  t.At("front", 0).Thread(20, "web").Run(20);
  t.At("back", 0).Thread(30, "store");
  for (uint32_t i = 0; i < requests; ++i) {
    const uint64_t begin_ns = i * 20_ms;
    t.At("front", begin_ns + 1_ms);
    t.Send("front", kFrontPort, kBackPort, 1 + i * 100, 100, 20);
    t.At("front", begin_ns + 1_ms).Block();
    t.At("back", begin_ns + 2_ms);
    t.Deliver("back", kFrontPort, kBackPort, 1 + i * 100, 100, 30);
    t.At("back", begin_ns + 2_ms).Run(30);
    t.At("back", begin_ns + 16_ms);
    t.Send("back", kBackPort, kFrontPort, 1 + i * 100, 100, 30);
    t.At("back", begin_ns + 16_ms).Block();
    t.At("front", begin_ns + 17_ms);
    t.Deliver("front", kBackPort, kFrontPort, 1 + i * 100, 100, 20);
    t.At("front", begin_ns + 17_ms).Run(20);
  }
  t.Measure(requests * 20_ms);
}

// All frames until the end.
std::vector<LiveMoment> Follow(LiveSession& live) {
  std::vector<LiveMoment> moments;
  while (!live.ended()) {
    const auto moment = live.Next();
    EXPECT_TRUE(moment.ok()) << moment.status();
    if (!moment.ok()) break;
    if (*moment != nullptr) moments.push_back(**moment);
  }
  return moments;
}

TEST(LiveSession, JoinsNodes) {
  TestCluster t;
  RunRequests(t, 200);
  const TempDir dir;
  t.Write(dir / "cluster");
  auto live = LiveSession::Open({{.name = "front", .directory = dir / "cluster/front"},
                                 {.name = "back", .directory = dir / "cluster/back"}},
                                {.window_ns = 2000_ms, .target = {.comms = {"web", "store"}}});
  ASSERT_TRUE(live.ok()) << live.status();
  const std::vector<LiveMoment> moments = Follow(**live);
  ASSERT_FALSE(moments.empty());
  const LiveMoment& last = moments.back();
  EXPECT_TRUE(last.frame.ended());
  EXPECT_EQ(last.frame.nodes_size(), 2);
  const auto later = Analysis::Run(
      dir / "cluster", {.target = {.comms = {"web", "store"}},
                        .range = {.from_ns = static_cast<uint64_t>(last.frame.from_s() * 1e9 + 0.5),
                                  .to_ns = static_cast<uint64_t>(last.frame.to_s() * 1e9 + 0.5)}});
  ASSERT_TRUE(later.ok()) << later.status();
  double participation = 0;
  for (const pb::LiveVertex& vertex : last.frame.vertices())
    participation += vertex.participation();
  EXPECT_NEAR(participation, 1, 1e-9);
  ASSERT_FALSE(last.frame.findings().empty());
  EXPECT_EQ(last.frame.findings(0).title(), later->report().findings(0).title());
  ASSERT_EQ(last.report.edges_size(), later->report().edges_size());
  for (int i = 0; i < last.report.edges_size(); ++i)
    EXPECT_EQ(last.report.edges(i).DebugString(), later->report().edges(i).DebugString());
}

TEST(LiveSession, TellsTheRequestsOfTheTargetsServers) {
  TestCluster t;
  RunRequests(t, 200);
  const TempDir dir;
  t.Write(dir / "cluster");
  const std::vector<LiveNodeFolder> folders = {
      {.name = "front", .directory = dir / "cluster/front"},
      {.name = "back", .directory = dir / "cluster/back"}};
  const auto last_frame = [&folders](const std::string& target) {
    auto live = LiveSession::Open(folders, {.window_ns = 2000_ms, .target = {.comms = {target}}});
    EXPECT_TRUE(live.ok()) << live.status();
    return live.ok() ? Follow(**live).back().frame : pb::LiveFrame();
  };
  const pb::LiveRequests requests = last_frame("store").requests();
  EXPECT_NEAR(requests.finished_per_s(), 50, 1);
  EXPECT_NEAR(static_cast<double>(requests.finished()), 100, 1);
  EXPECT_NEAR(requests.median_s(), 0.014, 1e-5);
  EXPECT_NEAR(requests.longest_s(), 0.014, 1e-5);
  EXPECT_FALSE(last_frame("web").has_requests()) << "it asks, and answers nobody";
}

TEST(LiveSession, TellsTheRequestsOfANodeAlone) {
  TestCluster t;
  RunRequests(t, 200);
  const TempDir dir;
  t.Write(dir / "cluster");
  for (const std::vector<std::string>& comms : {std::vector<std::string>{"store"}, {}}) {
    auto live = LiveSession::Open({{.directory = dir / "cluster/back"}},
                                  {.window_ns = 2000_ms, .target = {.comms = comms}});
    ASSERT_TRUE(live.ok()) << live.status();
    const pb::LiveRequests requests = Follow(**live).back().frame.requests();
    EXPECT_NEAR(static_cast<double>(requests.finished()), 100, 1);
    EXPECT_NEAR(requests.median_s(), 0.014, 1e-5);
  }
}

TEST(LiveSession, GoesOnWithoutANodeThatVanishes) {
  TestCluster t;
  RunRequests(t, 100);
  const TempDir dir;
  t.Write(dir / "cluster");
  auto live = LiveSession::Open({{.name = "front", .directory = dir / "cluster/front"},
                                 {.name = "back", .directory = dir / "cluster/back"}},
                                {});
  ASSERT_TRUE(live.ok()) << live.status();
  std::filesystem::remove_all(dir / "cluster/back");
  const std::vector<LiveMoment> moments = Follow(**live);
  ASSERT_FALSE(moments.empty());
  EXPECT_EQ(moments.back().frame.nodes(1).state(), "ended");
  EXPECT_EQ(moments.back().frame.nodes(0).state(), "lost");
  EXPECT_NE(moments.back().frame.nodes(0).because(), "");
}

// It would be the busiest of an idle machine.
TEST(LiveSession, DoesNotLookAtItsObserver) {
  TestCluster t;
  RunRequests(t, 200);
  const TempDir dir;
  t.Write(dir / "cluster");
  const std::string front = dir / "cluster/front";
  pb::Session session = *ReadSessionFile(front)->session;
  session.mutable_host()->set_boot_id("this boot");
  WriteWholeFile(front + "/session.pb", session.SerializeAsString());
  const auto target = [&](const LiveObserver& observer) {
    auto live =
        LiveSession::Open({{.directory = front}}, {.window_ns = 2000_ms, .observer = observer});
    EXPECT_TRUE(live.ok()) << live.status();
    const std::vector<LiveMoment> moments = Follow(**live);
    EXPECT_FALSE(moments.empty());
    return moments.back().frame.target();
  };
  EXPECT_THAT(target({}), HasSubstr("web"));
  EXPECT_THAT(target({.pid = 20, .boot_id = "another boot"}), HasSubstr("web"));
  EXPECT_THAT(target({.pid = 20, .boot_id = "this boot"}), Not(HasSubstr("web")));
}

// Every 20 ms a thread is born that A waits for; it ends.
std::string ManyShortLives(uint32_t lives) {
  std::string text =
      absl::StrCat("end ", (lives + 1) * 20_ms, "\nthread 1 A R\n1 0 switch 0 1 R\n");
  for (uint32_t i = 0; i < lives; ++i) {
    const uint64_t at_ns = (i + 1) * 20_ms;
    const uint32_t tid = 100 + i;
    absl::StrAppend(&text, at_ns, " 0 new ", tid, " T of 1 in 1\n", at_ns + 1, " 0 switch 1 ", tid,
                    " S\n", at_ns + 5_ms, " 0 wake 1 by ", tid, "\n", at_ns + 5_ms + 1, " 0 exit ",
                    tid, "\n", at_ns + 5_ms + 2, " 0 switch ", tid, " 1 X\n");
  }
  return text;
}

TEST(LiveSession, SaysTheSameWhenItReadsAFlightRecorderAnew) {
  const TempDir dir;
  const std::string directory = dir / "s";
  WriteScenario(ParseScenario(ManyShortLives(600)), directory, 20);
  pb::Session session = *ReadSessionFile(directory)->session;
  session.mutable_options()->set_ring_bytes(64 << 20);
  const auto tell = [&](uint64_t time_ns, bool is_last) {
    session.set_complete_until_ns(kScenarioStartNs + time_ns);
    session.set_complete(is_last);
    WriteWholeFile(directory + "/session.pb", session.SerializeAsString());
  };
  tell(500_ms, false);
  const auto open = [&](uint64_t most_remembered) {
    auto live = LiveSession::Open(
        {{.directory = directory}},
        {.window_ns = 2000_ms, .target = {.comms = {"A"}}, .most_remembered = most_remembered});
    EXPECT_TRUE(live.ok()) << live.status();
    return *std::move(live);
  };
  const auto plain = open(0);
  const auto renewed = open(100);
  size_t frames = 0;
  for (uint64_t time_ns = 500_ms; !plain->ended(); time_ns += 500_ms) {
    tell(std::min(time_ns, 12'000_ms), time_ns > 12'000_ms);
    const auto a = plain->Next();
    const auto b = renewed->Next();
    ASSERT_TRUE(a.ok() && b.ok()) << a.status() << b.status();
    ASSERT_EQ(*a == nullptr, *b == nullptr) << time_ns;
    if (*a == nullptr) continue;
    ++frames;
    pb::LiveFrame expected = (*a)->frame;
    pb::LiveFrame frame = (*b)->frame;
    expected.mutable_quality()->clear_lag_s();
    frame.mutable_quality()->clear_lag_s();
    EXPECT_EQ(frame.DebugString(), expected.DebugString());
  }
  EXPECT_GT(frames, 8u);
  EXPECT_GE(renewed->renewals(), 2u);
  EXPECT_EQ(plain->renewals(), 0u);
}

TEST(LiveSession, RefusesAFolderThatIsNoRecording) {
  const TempDir dir;
  EXPECT_FALSE(LiveSession::Open({{.directory = dir / "nothing"}}, {}).ok());
}

}  // namespace
}  // namespace gordian
