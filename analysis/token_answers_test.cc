// SPDX-License-Identifier: Apache-2.0
// Answers by requests: of a range, and of several nodes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/analysis.h"
#include "nodes/test_cluster.h"
#include "requests/test_talk.h"
#include "tests/support/time_literals.h"

namespace gordian {
namespace {

using testing::kDiskSleep;
using testing::kServerPort;
using testing::kSleep;
using testing::TempDir;
using testing::TestCluster;
using testing::TestTalk;
using namespace testing;  // NOLINT: literals of time

// One client asks a server that waits for its disk: quickly at first (400 µs), later slowly (1 ms).
void PlayTwoHalves(const TempDir& dir, size_t rounds) {
  constexpr int32_t kServerOfHalves = 10, kClientOfHalves = 20;
  constexpr uint16_t kPort = 50001;
  TestTalk talk;
  talk.trace().session().mutable_host()->set_cpus(2);
  const uint32_t disk = talk.trace().Disk("vda");
  talk.trace().Thread(kServerOfHalves, "server").Thread(kClientOfHalves, "client");
  talk.At(0, 0).Run(kServerOfHalves);
  talk.At(1_us, 0).Block(kSleep);
  talk.At(2_us, 1).Run(kClientOfHalves);
  uint64_t begin_ns = 100_us;
  for (size_t round = 0; round < rounds; ++round) {
    const uint64_t disk_ns = round < rounds / 2 ? 200_us : 800_us;
    talk.At(begin_ns, 1);
    talk.Ask(kPort, 100, kClientOfHalves);
    talk.At(begin_ns, 1).Wake(kServerOfHalves);
    talk.At(begin_ns + 1_us, 1).Block(kSleep);
    talk.At(begin_ns + 20_us, 0).Run(kServerOfHalves);
    talk.At(begin_ns + 100_us, 0).Block(kDiskSleep);
    uint64_t at_ns = begin_ns + 100_us + disk_ns;
    talk.At(at_ns, 0).WakeFromBlock(kServerOfHalves, disk);
    talk.At(at_ns + 20_us, 0).Run(kServerOfHalves);
    at_ns += 60_us;
    talk.At(at_ns, 0);
    talk.Answer(kPort, kServerOfHalves, 100, kServerPort, /*local=*/true);
    talk.At(at_ns, 0).Wake(kClientOfHalves);
    talk.At(at_ns + 1_us, 0).Block(kSleep);
    talk.At(at_ns + 20_us, 1).Run(kClientOfHalves);
    begin_ns = at_ns + 40_us;
  }
  EXPECT_TRUE(talk.trace().WriteSession(dir.path()).ok());
}

TEST(TokenAnswers, OfARangeAreOfItsRequestsAlone) {
  const TempDir dir;
  constexpr size_t kRounds = 2000;
  PlayTwoHalves(dir, kRounds);
  const WhatIfRequest request = {.changes = {{"in-flight", "client=2"}}};
  const auto whole = Analysis::Run(dir.path(), {.threads = 1});
  ASSERT_TRUE(whole.ok()) << whole.status();
  const auto of_whole = whole->Ask(request);
  ASSERT_TRUE(of_whole.ok()) << of_whole.status();
  EXPECT_EQ(of_whole->load().port(), kServerPort);
  EXPECT_NEAR(static_cast<double>(of_whole->load().requests()), kRounds - 1, 2);
  EXPECT_NEAR(of_whole->load().response_ns(), 660'000, 5'000);

  // The first half lasts for 400 ms.
  const auto half = Analysis::Run(dir.path(), {.range = {.to_ns = 390_ms}, .threads = 1});
  ASSERT_TRUE(half.ok()) << half.status();
  const auto of_half = half->Ask(request);
  ASSERT_TRUE(of_half.ok()) << of_half.status();
  EXPECT_NEAR(static_cast<double>(of_half->load().requests()), 975, 10);
  EXPECT_NEAR(of_half->load().rate(), 2500, 30);
  EXPECT_NEAR(of_half->load().response_ns(), 360'000, 2'000);
  ASSERT_TRUE(of_half->has_requests()) << of_half->load().silent();
  EXPECT_LT(of_half->requests().self_check(), 0.1);
  EXPECT_NEAR(of_half->requests().recorded_rate(), 2500, 30);
}

TEST(TokenAnswers, OfARangeWithFewRequestsAreSilentAndSayWhy) {
  const TempDir dir;
  PlayTwoHalves(dir, 2000);
  const auto part = Analysis::Run(dir.path(), {.range = {.to_ns = 20_ms}, .threads = 1});
  ASSERT_TRUE(part.ok()) << part.status();
  const auto answer = part->Ask({.changes = {{"in-flight", "client=2"}}});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_FALSE(answer->has_requests());
  EXPECT_THAT(answer->load().silent(), ::testing::HasSubstr("100 tell a rate"));
}

// A client on one node asks the front on another (3 ms), which asks the database on a third one
// (5 ms). Packets are under way for 1 ms each. Each node has one CPU.
void PlayThreeNodes(const TempDir& dir, uint32_t rounds) {
  TestCluster cluster;
  cluster.Node("user").Thread(3, "client").session().mutable_host()->set_cpus(1);
  cluster.Node("web").Thread(1, "front").session().mutable_host()->set_cpus(1);
  cluster.Node("db", {.skew_ns = 40'000'000'000, .bound_ns = 50'000})
      .Thread(2, "database")
      .session()
      .mutable_host()
      ->set_cpus(1);
  BeginFrontAndDatabase(cluster);
  cluster.At("user", 0).Run(3);
  uint64_t begin_ns = 10_ms;
  for (uint32_t round = 0; round < rounds; ++round, begin_ns += 12'500_us) {
    const uint32_t sequence = 1000 + round * 100;
    cluster.At("user", begin_ns - 1_ms);
    cluster.Send("user", kBrowser, kHttp, sequence, 100, 3);
    cluster.At("user", begin_ns - 1_ms).Block(kSleep);
    AskFrontAndDatabase(cluster, begin_ns, sequence);
    cluster.At("user", begin_ns + 11_ms);
    cluster.Deliver("user", kHttp, kBrowser, sequence, 100, 3);
    cluster.At("user", begin_ns + 11_ms).Run(3);
  }
  cluster.Measure(begin_ns + 20_ms, 100_ms);
  cluster.Write(dir / "run");
}

TEST(TokenAnswers, CrossNodesWithTheirOwnCpus) {
  const TempDir dir;
  PlayThreeNodes(dir, 700);
  const auto analysis = Analysis::Run(dir / "run", {.threads = 1});
  ASSERT_TRUE(analysis.ok()) << analysis.status();
  const auto answer = analysis->Ask({.changes = {{"in-flight", "user/client/client=2"}}});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->load().port(), kHttp);
  EXPECT_NEAR(answer->load().response_ns(), 10e6, 1e5);
  ASSERT_TRUE(answer->has_requests()) << answer->load().silent();
  // The time of packets between the client and the front is not told yet: 1 of 12.5 ms.
  EXPECT_LT(answer->requests().self_check(), 0.1);
  // One CPU for all nodes (8.5 of 12.5 ms) would allow 1.47 times.
  EXPECT_GT(answer->expected(), 1.55);
  EXPECT_LT(answer->expected(), 2.05);
}

}  // namespace
}  // namespace gordian
