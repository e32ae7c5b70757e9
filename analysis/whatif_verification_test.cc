// SPDX-License-Identifier: Apache-2.0
// Predictions held against recordings that were made after the fix.
#include "analysis/whatif_verification.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "requests/test_talk.h"
#include "tests/support/time_literals.h"
#include "whatif/history/history.h"

namespace gordian {
namespace {

using ::testing::HasSubstr;
using testing::kDiskSleep;
using testing::kServerPort;
using testing::kSleep;
using testing::TempDir;
using testing::TestTalk;
using namespace testing;  // NOLINT: literals of time

constexpr int32_t kClient = 20, kServer = 10;

struct Played {
  uint64_t disk_ns = 200'000;
  uint64_t pause_ns = 20'000;  // of the client, between an answer and its next question
  size_t rounds = 600;
  uint16_t port = kServerPort;
  const char* server = "server";
  uint32_t cpus = 2;
  uint16_t clients = 1;  // that ask in turn
  bool has_packets = true;
};

// Clients ask in turn; the server works for 80 µs, waits for the disk, and answers after another
// 40 µs.
absl::StatusOr<Analysis> Analyzed(const TempDir& dir, const Played& played) {
  TestTalk talk;
  talk.trace().session().mutable_host()->set_cpus(played.cpus);
  const uint32_t disk = talk.trace().Disk("vda");
  talk.trace().Thread(kServer, played.server).Thread(kClient, "client");
  talk.At(0, 0).Run(kServer);
  talk.At(1_us, 0).Block(kSleep);
  talk.At(2_us, 1).Run(kClient);
  uint64_t begin_ns = 100_us;
  for (size_t round = 0; round < played.rounds; ++round) {
    const auto client_port = static_cast<uint16_t>(50001 + round % played.clients);
    talk.At(begin_ns, 1);
    if (played.has_packets) talk.Ask(client_port, 100, kClient, played.port);
    talk.At(begin_ns, 1).Wake(kServer);
    talk.At(begin_ns + 1_us, 1).Block(kSleep);
    talk.At(begin_ns + 20_us, 0).Run(kServer);
    uint64_t at_ns = begin_ns + 100_us;
    if (played.disk_ns > 0) {
      talk.At(at_ns, 0).Block(kDiskSleep);
      at_ns += played.disk_ns;
      talk.At(at_ns, 0).WakeFromBlock(kServer, disk);
      at_ns += 1_us;
      talk.At(at_ns, 0).Run(kServer);
    }
    at_ns += 40_us;
    talk.At(at_ns, 0);
    if (played.has_packets) talk.Answer(client_port, kServer, 100, played.port, /*local=*/true);
    talk.At(at_ns, 0).Wake(kClient);
    talk.At(at_ns + 1_us, 0).Block(kSleep);
    talk.At(at_ns + 2_us, 1).Run(kClient);
    begin_ns = at_ns + 2_us + played.pause_ns;
  }
  const absl::Status written = talk.trace().WriteSession(dir.path());
  if (!written.ok()) return written;
  return Analysis::Run(dir.path(), {.threads = 1});
}

struct Verified {
  pb::WhatIf answer;
  absl::StatusOr<pb::WhatIfVerification> made = absl::UnknownError("not asked");
};

Verified Verify(const Played& before, const Played& after, const WhatIfRequest& request) {
  const TempDir dir_before, dir_after;
  const auto of_before = Analyzed(dir_before, before);
  const auto of_after = Analyzed(dir_after, after);
  EXPECT_TRUE(of_before.ok() && of_after.ok()) << of_before.status() << of_after.status();
  Verified verified;
  if (!of_before.ok() || !of_after.ok()) return verified;
  const auto answer = of_before->Ask(request);
  EXPECT_TRUE(answer.ok()) << answer.status();
  if (!answer.ok()) return verified;
  verified.answer = *answer;
  verified.made = VerifyPrediction(*of_before, *of_after, request, *answer);
  return verified;
}

const WhatIfRequest kNoDiskTime = {.changes = {{"scale", "vda=0"}}};

TEST(Verification, CountsTheSameRequestsInBoth) {
  const Verified verified = Verify({}, {.disk_ns = 0}, kNoDiskTime);
  ASSERT_TRUE(verified.made.ok()) << verified.made.status();
  const pb::WhatIfVerification& made = *verified.made;
  EXPECT_EQ(made.progress(), "requests of port 80");
  EXPECT_TRUE(made.counts_work());
  EXPECT_NEAR(made.measured(), 363.0 / 162, 0.03);
  EXPECT_NEAR(made.after_response_ns(), 140'000, 2'000);
  EXPECT_NEAR(made.before_rate(), 1e6 / 363, 60);
  EXPECT_EQ(made.inside(),
            made.measured() >= verified.answer.low() &&
                (verified.answer.at_least() || made.measured() <= verified.answer.high()));
  EXPECT_NEAR(made.off(), verified.answer.expected() / made.measured() - 1, 1e-9);
  EXPECT_THAT(made.verdict(), HasSubstr("requests a second"));
}

// The fix did nothing.
TEST(Verification, IsNotInsideIfTheGainDidNotCome) {
  const Verified verified = Verify({}, {}, kNoDiskTime);
  ASSERT_TRUE(verified.made.ok()) << verified.made.status();
  EXPECT_NEAR(verified.made->measured(), 1, 0.01);
  EXPECT_FALSE(verified.made->inside());
  EXPECT_GT(verified.made->off(), 0.5);
  EXPECT_THAT(verified.made->verdict(), HasSubstr("not inside"));
  EXPECT_THAT(verified.made->verdict(), HasSubstr("too high"));
}

TEST(Verification, SaysInOneLineWhyRecordingsDoNotCompare) {
  const auto why = [](const Played& after) {
    return std::string(Verify({}, after, kNoDiskTime).made.status().message());
  };
  EXPECT_THAT(why({.port = 81, .server = "other"}), HasSubstr("AFTER is of another program"));
  EXPECT_THAT(why({.cpus = 4}), HasSubstr("AFTER has 4 CPUs, the prediction is for 2"));
  EXPECT_THAT(why({.rounds = 30}), HasSubstr("AFTER is too short: 30 requests of port 80"));
  EXPECT_THAT(why({.has_packets = false}), HasSubstr("AFTER has no requests"));
  EXPECT_THAT(why({.clients = 8}), HasSubstr("another load"));
}

// The server was given another port.
TEST(Verification, MatchesAServerByItsName) {
  const Verified verified = Verify({}, {.disk_ns = 0, .port = 8080}, kNoDiskTime);
  ASSERT_TRUE(verified.made.ok()) << verified.made.status();
  EXPECT_NEAR(verified.made->measured(), 363.0 / 162, 0.03);
}

TEST(Verification, CountsWakesThatTheUserNamesButNotAsWork) {
  const WhatIfRequest request = {.changes = {{"scale", "vda=0"}}, .progress = "wakes client"};
  const Played silent = {.has_packets = false};
  const Verified verified = Verify(silent, {.disk_ns = 0, .has_packets = false}, request);
  ASSERT_TRUE(verified.made.ok()) << verified.made.status();
  EXPECT_EQ(verified.made->progress(), "wakes of client");
  EXPECT_FALSE(verified.made->counts_work());
  EXPECT_NEAR(verified.made->measured(), 363.0 / 162, 0.03);
}

// Nothing that counts work is recorded.
TEST(Verification, DoubtsCyclesOfWaits) {
  const Verified verified =
      Verify({.has_packets = false}, {.disk_ns = 0, .has_packets = false}, kNoDiskTime);
  ASSERT_TRUE(verified.made.ok()) << verified.made.status();
  EXPECT_FALSE(verified.made->counts_work());
  ASSERT_GT(verified.made->doubts_size(), 0);
  EXPECT_THAT(verified.made->doubts(0), HasSubstr("--progress"));
}

TEST(Verification, IsKeptAsAScore) {
  Verified verified = Verify({}, {.disk_ns = 0}, kNoDiskTime);
  ASSERT_TRUE(verified.made.ok()) << verified.made.status();
  *verified.answer.mutable_verification() = *verified.made;
  const auto back =
      ScoreOfLine(LineOfScore(ScoreOf(verified.answer, "a", "b", "2026-11-27T11:30:00Z")));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(HasHeld(*back), verified.made->inside());
  EXPECT_EQ(back->change(), "disk vda taking no time");
}

}  // namespace
}  // namespace gordian
