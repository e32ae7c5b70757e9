// SPDX-License-Identifier: Apache-2.0
// Changes of made-up systems, whose gains are known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "whatif/requests/requests.h"
#include "whatif/requests/test_tokens.h"

namespace gordian {
namespace {

using ::testing::HasSubstr;
using testing::kClient;
using testing::kServer;
using testing::kUs;
using testing::kVda;
using testing::TokenSystem;

// Four clients; the disk is the limit, the CPUs are not.
TokenModel Committing() {
  TokenSystem system(/*population=*/4, /*cpus=*/8);
  for (size_t i = 0; i < 1000; ++i)
    system.Think(10 * kUs)
        .Run(30 * kUs)
        .Disk(100 * kUs)
        .Pause(20 * kUs, TokenPause::kWake)
        .Run(10 * kUs)
        .Answer()
        .End();
  system.model.disk_wait_run_ns = 20 * kUs;
  system.RecordItself();
  return system.model;
}

TEST(TokenChanges, SkippedDiskTakesItsWakeAndItsPathAlong) {
  const TokenModel model = Committing();
  const auto gain = GainOfTokens(model, {.waits = {{kServer, kVda, /*keeps_up=*/false}}});
  ASSERT_TRUE(gain.ok()) << gain.status();
  EXPECT_NEAR(gain->before.rate, 1e9 / (100 * kUs), 100);
  EXPECT_NEAR(gain->after.rate, 4e9 / (30 * kUs), 1000);
  EXPECT_NEAR(gain->low, 4e9 / (50 * kUs) / gain->before.rate, 0.1);  // the path may cost nothing
  EXPECT_GE(gain->high, gain->expected);
  EXPECT_LT(gain->before.LittleMiss(), 0.01);
}

TEST(TokenChanges, FasterDiskCountsUntilTheNextLimit) {
  const auto gain = GainOfTokens(Committing(), {.disks = {{kVda, 0.5}}});
  ASSERT_TRUE(gain.ok()) << gain.status();
  EXPECT_NEAR(gain->expected, 2, 0.05);
}

TEST(TokenChanges, LargerPoolIsMoreSeats) {
  TokenSystem system(/*population=*/16, /*cpus=*/2);
  const uint32_t pool = system.AddSeats(2, kServer, /*is_pool=*/true);
  for (size_t i = 0; i < 1000; ++i)
    system.Think(0).Take(pool).Pause(10'000 * kUs, TokenPause::kTimer).Give(pool).Answer().End();
  system.RecordItself();
  const auto gain = GainOfTokens(system.model, {.more_at_once = {{kServer, 8, false, {}}}});
  ASSERT_TRUE(gain.ok()) << gain.status();
  EXPECT_NEAR(gain->expected, 8, 0.1);
  EXPECT_NEAR(gain->after.response_ns, 10'000 * kUs, 50 * kUs);
}

TEST(TokenChanges, MoreClientsAreMoreTokens) {
  TokenSystem system(/*population=*/1, /*cpus=*/4);
  for (size_t i = 0; i < 5000; ++i)
    system.Think(system.Exponential(90 * kUs)).Run(10 * kUs).Answer().End();
  system.RecordItself();
  const auto gain = GainOfTokens(system.model, {.more_at_once = {{kClient, 2, true, {}}}});
  ASSERT_TRUE(gain.ok()) << gain.status();
  EXPECT_NEAR(gain->expected, 2, 0.05);
  EXPECT_FALSE(gain->at_least);
  // Until the CPUs are full. Batches would save some of their time.
  const auto full = GainOfTokens(system.model, {.more_at_once = {{kClient, 80, true, {}}}});
  ASSERT_TRUE(full.ok()) << full.status();
  EXPECT_NEAR(full->expected, 40, 1.5);
  EXPECT_TRUE(full->at_least);
}

TEST(TokenChanges, ThreadsThatShareAConnectionHaveOneRequestEach) {
  TokenSystem system(/*population=*/1, /*cpus=*/8);
  const uint32_t askers = system.AddSeats(4, kClient);
  for (size_t i = 0; i < 1000; ++i)
    system.Take(askers).Run(1 * kUs, kClient).Give(askers).Think(0).Pause(99 * kUs).Answer().End();
  system.RecordItself();
  const auto gain = GainOfTokens(system.model, {.more_at_once = {{kClient, 8, false, {}}}});
  ASSERT_TRUE(gain.ok()) << gain.status();
  EXPECT_NEAR(gain->expected, 4, 0.05);
}

TEST(TokenChanges, MoreThreadsServeWhereThreadsAreTheLimit) {
  TokenSystem system(/*population=*/8, /*cpus=*/8);
  const uint32_t workers = system.AddSeats(1);
  for (size_t i = 0; i < 1000; ++i)
    system.Think(0).Take(workers).Pause(100 * kUs).Give(workers).Answer().End();
  system.RecordItself();
  const auto gain = GainOfTokens(system.model, {.added_threads = {{kServer, 3}}});
  ASSERT_TRUE(gain.ok()) << gain.status();
  EXPECT_NEAR(gain->expected, 4, 0.05);
}

TEST(TokenChanges, SilentWhereOtherProgramsHaveTheCpus) {
  TokenModel model = Committing();
  model.nodes[0].cpus = 0.5 * model.nodes[0].all;
  EXPECT_THAT(GainOfTokens(model, {.disks = {{kVda, 0.5}}}).status().message(),
              HasSubstr("other programs"));
}

TEST(TokenChanges, FixOfWhatIsNoLimitGainsNothing) {
  const auto faster_work = GainOfTokens(Committing(), {.runs = {{kServer, 0.5}}});
  ASSERT_TRUE(faster_work.ok()) << faster_work.status();
  EXPECT_NEAR(faster_work->expected, 1, 0.02);
  const auto more_cpus = GainOfTokens(Committing(), {.cpus = {{0, 16}}});
  ASSERT_TRUE(more_cpus.ok()) << more_cpus.status();
  EXPECT_NEAR(more_cpus->expected, 1, 0.02);
}

TEST(TokenChanges, ShorterHoldOfALockIsMetLessOften) {
  TokenSystem system(/*population=*/2, /*cpus=*/4);
  for (size_t i = 0; i < 1000; ++i)
    system.Think(100 * kUs)
        .Step({.deed = TokenDeed::kPause,
               .pause = TokenPause::kDisk,
               .in_lock = true,
               .who = kServer,
               .whom = kVda,
               .ns = 75 * kUs})
        .Step({.deed = TokenDeed::kPause,
               .pause = TokenPause::kRun,
               .in_lock = true,
               .who = kServer,
               .ns = 25 * kUs})
        .Answer()
        .End();
  const auto changed = ChangedTokens(system.model, {.waits = {{kServer, kVda, /*keeps_up=*/false}}},
                                     /*with_path=*/true);
  ASSERT_TRUE(changed);
  EXPECT_NEAR(PlayTokens(*changed, 1000).response_ns, 25 * 0.25 * kUs, 50);
}

TEST(TokenChanges, SilentWhereItDoesNotKnowTheChange) {
  const auto async = GainOfTokens(Committing(), {.waits = {{kServer, kVda, /*keeps_up=*/true}}});
  EXPECT_THAT(async.status().message(), HasSubstr("no station"));
  const auto other_disk = GainOfTokens(Committing(), {.disks = {{kVda + 1, 0.5}}});
  EXPECT_THAT(other_disk.status().message(), HasSubstr("no station"));
}

TEST(TokenChanges, SilentWithFewRequestsAndOpenLoopsAndWhatItMisses) {
  const Changes changes = {.disks = {{kVda, 0.5}}};
  TokenModel few = Committing();
  few.first.resize(400);
  EXPECT_THAT(GainOfTokens(few, changes).status().message(), HasSubstr("399 requests"));
  TokenModel open = Committing();
  open.closed_share = 0.2;
  EXPECT_THAT(GainOfTokens(open, changes).status().message(), HasSubstr("open loop"));
  TokenModel missed = Committing();
  missed.recorded_rate *= 1.2;
  EXPECT_THAT(GainOfTokens(missed, changes).status().message(), HasSubstr("nothing changed"));
}

TEST(TokenChanges, SilentWithMoreTokensThanFitAndWithoutAnythingLeft) {
  TokenModel many = Committing();
  EXPECT_THAT(
      GainOfTokens(many, {.more_at_once = {{kClient, 4'000'000, false, {}}}}).status().message(),
      HasSubstr("more than 10000 requests"));
  TokenSystem system(/*population=*/1);
  for (size_t i = 0; i < 1000; ++i) system.Think(0).Disk(10 * kUs).Answer().End();
  system.RecordItself();
  EXPECT_THAT(GainOfTokens(system.model, {.disks = {{kVda, 0}}}).status().message(),
              HasSubstr("nothing that takes time"));
}

TEST(TokenChanges, SameModelGivesTheSameGain) {
  const Changes changes = {.disks = {{kVda, 0.5}}};
  EXPECT_EQ(GainOfTokens(Committing(), changes)->expected,
            GainOfTokens(Committing(), changes)->expected);
}

}  // namespace
}  // namespace gordian
