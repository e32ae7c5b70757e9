// SPDX-License-Identifier: Apache-2.0
// Changes of made-up systems, whose gains are known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "whatif/requests/requests.h"
#include "whatif/requests/test_tokens.h"

namespace gordian {
namespace {

using ::testing::AllOf;
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

// Which requests would still have the operation is not known.
TEST(TokenChanges, KnowNoOperationsOfWhichSomeStay) {
  const WaitChange some = {.from = kServer, .to = kVda, .keeps_up = false, .keeps_one_in = 2};
  EXPECT_FALSE(ChangedTokens(Committing(), {.waits = {some}}, /*with_path=*/true));
  const WaitChange none = {.from = kServer, .to = kVda, .keeps_up = false};
  EXPECT_TRUE(ChangedTokens(Committing(), {.waits = {none}}, /*with_path=*/true));
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

// Four clients work for 100 µs each under one lock, and for 100 µs without.
TokenSystem Locking() {
  TokenSystem system(/*population=*/4, /*cpus=*/8);
  const uint32_t lock = system.AddLock();
  for (size_t i = 0; i < 1000; ++i)
    system.Think(0)
        .Run(100 * kUs)
        .Take(lock)
        .Run(70 * kUs)
        .Disk(30 * kUs)
        .Give(lock)
        .Answer()
        .End();
  system.RecordItself();
  return system;
}

// Some requests wait for a lock while a helper holds it. What the helper does for all of them,
// asked over a pipe, stays.
TEST(TokenChanges, KnowNoWaitForAHelperThatWorksOutsideOfLocks) {
  constexpr uint32_t kHelper = 7;
  const auto asking = [&](double outside_ns) {
    TokenSystem system(/*population=*/2, /*cpus=*/4);
    for (size_t i = 0; i < 100; ++i)
      system.Think(0)
          .Run(outside_ns, kHelper)
          .Step({.deed = TokenDeed::kPause, .in_lock = true, .who = kHelper, .ns = 20 * kUs})
          .Answer()
          .End();
    return ChangedTokens(system.model, {.waits = {{kServer, kHelper, /*keeps_up=*/false}}},
                         /*with_path=*/true);
  };
  EXPECT_FALSE(asking(100 * kUs));
  EXPECT_TRUE(asking(10 * kUs));
}

// Two questions to a back end for each request, 500 µs each; 100 µs of work beside these.
TEST(TokenChanges, QuestionsThatAreNotAskedTakeNoTimeOfAnybody) {
  constexpr uint32_t kBackEnd = 77;
  TokenSystem system(/*population=*/2, /*cpus=*/4);
  const uint32_t threads = system.AddSeats(1);
  const uint32_t pool = system.AddSeats(1, kServer, /*is_pool=*/true);
  const uint32_t back_end = system.AddSeats(1, kBackEnd);
  for (size_t i = 0; i < 1000; ++i) {
    system.Think(0).Take(threads);
    for (int question = 0; question < 2; ++question)
      system.Run(50 * kUs)
          .Take(pool)
          .Take(back_end)
          .Run(500 * kUs, kBackEnd)
          .Give(back_end)
          .Give(pool);
    system.Answer().Give(threads).End();
  }
  system.RecordItself();
  WaitChange skip = {.from = kServer, .to = kBackEnd, .keeps_up = false, .starts_none = true};
  const auto none = GainOfTokens(system.model, {.waits = {skip}});
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_NEAR(none->expected, 11, 0.1);
  // One of the two stays.
  skip.keeps_one_in = 2;
  const auto some = GainOfTokens(system.model, {.waits = {skip}});
  ASSERT_TRUE(some.ok()) << some.status();
  EXPECT_NEAR(some->expected, 1100.0 / 600, 0.1);
  // Nobody else asks there.
  skip.from = kClient;
  EXPECT_FALSE(GainOfTokens(system.model, {.waits = {skip}}).ok());
}

TEST(TokenChanges, NobodyLooksAgainForALockThatIsGone) {
  TokenSystem system(/*population=*/4, /*cpus=*/1);
  const uint32_t lock = system.AddLock();
  for (size_t i = 0; i < 1000; ++i)
    system.Think(0)
        .Step({.deed = TokenDeed::kRun, .looks_for = lock, .who = kServer, .ns = 90 * kUs})
        .Take(lock)
        .Run(10 * kUs)
        .Give(lock)
        .Answer()
        .End();
  system.RecordItself();
  const auto gain = GainOfTokens(system.model, {.waits = {{kServer, kServer, false}}});
  ASSERT_TRUE(gain.ok()) << gain.status();
  EXPECT_NEAR(gain->expected, 10, 0.1);
}

TEST(TokenChanges, LockThatIsAlwaysFreeIsNoStation) {
  const auto gain =
      GainOfTokens(Locking().model, {.waits = {{kServer, kServer, /*keeps_up=*/false}}});
  ASSERT_TRUE(gain.ok()) << gain.status();
  EXPECT_NEAR(gain->expected, 2, 0.05);  // of four, each takes 200 µs
}

TEST(TokenChanges, SilentOfALockThatLaterRequestsGiveBack) {
  TokenModel model = Locking().model;
  for (TokenSeats& seats : model.seats) seats.outlives_requests = seats.is_lock;
  const auto gain = GainOfTokens(model, {.waits = {{kServer, kServer, /*keeps_up=*/false}}});
  EXPECT_THAT(gain.status().message(), HasSubstr("no station"));
}

TEST(TokenChanges, ShorterHoldServesMore) {
  const auto gain = GainOfTokens(Locking().model, {.waits = {{kServer, kVda, /*keeps_up=*/false}}});
  ASSERT_TRUE(gain.ok()) << gain.status();
  EXPECT_NEAR(gain->expected, 100.0 / 70, 0.05);
}

TEST(TokenChanges, SplitLockIsAnyOfItsWays) {
  TokenSystem system = Locking();
  system.model.disks[0].slots = 8;
  const auto two = GainOfTokens(system.model, {.splits = {{kServer, kServer, 2, false, {}}}});
  ASSERT_TRUE(two.ok()) << two.status();
  EXPECT_GT(two->expected, 1.3);
  EXPECT_LT(two->expected, 1.9);
  const auto many = GainOfTokens(system.model, {.splits = {{kServer, kServer, 500, false, {}}}});
  ASSERT_TRUE(many.ok()) << many.status();
  EXPECT_NEAR(many->expected, 2, 0.05);
  const auto batch = GainOfTokens(system.model, {.splits = {{kServer, kServer, 1, true, {}}}});
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_GT(batch->expected, 1.2);
}

TEST(TokenChanges, AsynchronousDiskIsWaitedForOnlyIfItDoesNotKeepUp) {
  const auto gain = GainOfTokens(Committing(), {.waits = {{kServer, kVda, true, /*helpers=*/8}}});
  ASSERT_TRUE(gain.ok()) << gain.status();
  EXPECT_NEAR(gain->expected, 1, 0.05);  // the disk stays the limit
  TokenModel wide = Committing();
  wide.disks[0].slots = 100;
  const TokenRates recorded = PlayTokens(wide, 20'000);
  wide.recorded_rate = recorded.rate;
  wide.recorded_response_ns = recorded.response_ns;
  const auto faster = GainOfTokens(wide, {.waits = {{kServer, kVda, true, /*helpers=*/100}}});
  ASSERT_TRUE(faster.ok()) << faster.status();
  EXPECT_NEAR(faster->expected, 170.0 / 50, 0.05);  // its CPU time stays
}

// Flushes of a disk that stores are shared, or not: the recording does not tell where they never
// overlapped, and so the interval has both.
TEST(TokenChanges, IntervalHoldsWhatTheRecordingLeavesOpen) {
  TokenSystem system(/*population=*/1, /*cpus=*/8);
  for (size_t i = 0; i < 1000; ++i) system.Think(100 * kUs).Disk(100 * kUs).Answer().End();
  system.RecordItself();
  const Changes changes = {.more_at_once = {{kClient, 8, true, {}}}};
  const auto reads = GainOfTokens(system.model, changes);
  ASSERT_TRUE(reads.ok()) << reads.status();
  EXPECT_NEAR(reads->high, 2, 0.1);
  system.model.disks[0].stores = true;
  const auto stores = GainOfTokens(system.model, changes);
  ASSERT_TRUE(stores.ok()) << stores.status();
  EXPECT_NEAR(stores->low, 2, 0.1);
  EXPECT_GT(stores->high, 4);
}

// The other client is the server's, too: what it looks for was there before this request.
TEST(TokenChanges, ClientThatSleepsLessWorksDuringTheOthersTurn) {
  TokenSystem system(/*population=*/1, /*cpus=*/4);
  constexpr uint32_t kWorker = 9;
  system.model.askers.push_back(kWorker);
  for (size_t i = 0; i < 1000; ++i)
    system.Run(100 * kUs, kClient)
        .Think(0)
        .Step({.deed = TokenDeed::kPause,
               .pause = TokenPause::kTimer,
               .who = kWorker,
               .ns = 5000 * kUs})
        .Run(80 * kUs, kWorker)
        .Run(20 * kUs)
        .Answer()
        .End();
  system.RecordItself();
  const auto gain = GainOfTokens(system.model, {.timers = {{kWorker, 0}}});
  ASSERT_TRUE(gain.ok()) << gain.status();
  EXPECT_NEAR(gain->low, 5200.0 / 200, 1);
  EXPECT_NEAR(gain->high, 5200.0 / 100, 2);
}

TEST(TokenChanges, SilentWhereItDoesNotKnowTheChange) {
  const auto async = GainOfTokens(Committing(), {.waits = {{kServer, kClient, /*keeps_up=*/true}}});
  EXPECT_THAT(async.status().message(), HasSubstr("no station"));
  const auto split = GainOfTokens(Committing(), {.splits = {{kServer, kServer, 2, false, {}}}});
  EXPECT_THAT(split.status().message(), HasSubstr("no station"));
  const auto link = GainOfTokens(Committing(), {.links = {{kVda, 0.5}}});
  EXPECT_THAT(link.status().message(), HasSubstr("no station"));
  const auto other_disk = GainOfTokens(Committing(), {.disks = {{kVda + 1, 0.5}}});
  EXPECT_THAT(other_disk.status().message(), HasSubstr("no station"));
}

TEST(TokenChanges, SilentWithFewRequestsAndOpenLoopsAndWhatItMisses) {
  const Changes changes = {.disks = {{kVda, 0.5}}};
  TokenModel few = Committing();
  few.first.resize(80);
  EXPECT_THAT(GainOfTokens(few, changes).status().message(), HasSubstr("79 requests"));
  TokenModel open = Committing();
  open.closed_share = 0.2;
  EXPECT_THAT(GainOfTokens(open, changes).status().message(),
              AllOf(HasSubstr("open loop"), HasSubstr("% of the CPUs busy")));
  TokenModel served = Committing();
  served.served_on_share = 0.9;
  EXPECT_THAT(GainOfTokens(served, changes).status().message(), HasSubstr("behind the answers"));
  TokenModel missed = Committing();
  missed.recorded_rate *= 1.4;
  EXPECT_THAT(GainOfTokens(missed, changes).status().message(), HasSubstr("nothing changed"));
}

TEST(TokenChanges, WithAPoorSelfCheckTheNarrowerIntervalCounts) {
  TokenGain gain;
  gain.low = 2;
  gain.high = 4;
  gain.self_check = 0.05;
  EXPECT_TRUE(AnswersSurer(gain, 3, 3.1));
  gain.self_check = 0.2;
  EXPECT_FALSE(AnswersSurer(gain, 3, 3.1));
  EXPECT_TRUE(AnswersSurer(gain, 1, 10));
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

// A message out and one back; the server is not the limit.
TEST(TokenChanges, FasterLinkShortensItsFlightsOnly) {
  constexpr uint32_t kThere = 10, kBack = 11;
  TokenSystem system(/*population=*/1, /*cpus=*/8);
  const auto flight = [](uint32_t link) {
    return TokenStep{
        .deed = TokenDeed::kPause, .pause = TokenPause::kNetwork, .whom = link, .ns = 100 * kUs};
  };
  for (size_t i = 0; i < 1000; ++i)
    system.Step(flight(kBack))
        .Step(flight(kThere))
        .Step({.deed = TokenDeed::kAsk})
        .Run(100 * kUs)
        .Answer()
        .End();
  system.RecordItself();
  const auto one = GainOfTokens(system.model, {.links = {{kThere, 0.5}}});
  ASSERT_TRUE(one.ok()) << one.status();
  EXPECT_NEAR(one->expected, 300.0 / 250, 0.01);
  const auto both = GainOfTokens(system.model, {.links = {{kThere, 0}, {kBack, 0}}});
  ASSERT_TRUE(both.ok()) << both.status();
  EXPECT_NEAR(both->expected, 3, 0.03);
  // One that no message of a request takes.
  EXPECT_FALSE(GainOfTokens(system.model, {.links = {{kVda, 0.5}}}).ok());
}

TEST(TokenChanges, SameModelGivesTheSameGain) {
  const Changes changes = {.disks = {{kVda, 0.5}}};
  EXPECT_EQ(GainOfTokens(Committing(), changes)->expected,
            GainOfTokens(Committing(), changes)->expected);
}

// Four threads of a client take turns on one connection, and work while others ask. Without the
// lock each has a connection, and its own work is between its questions.
TEST(TokenChanges, ClientsWithoutTheLockOfTheirConnectionAskAllAtOnce) {
  TokenSystem system(/*population=*/1, /*cpus=*/8);
  const uint32_t threads = system.AddSeats(4, kClient);
  for (size_t i = 0; i < 1000; ++i)
    system.Take(threads)
        .Run(100 * kUs, kClient)
        .Step({.deed = TokenDeed::kGive, .place = threads, .who = kClient, .ns = 300 * kUs})
        .Step({.deed = TokenDeed::kAsk})
        .Pause(1000 * kUs)
        .Answer()
        .End();
  system.RecordItself();
  EXPECT_NEAR(system.model.recorded_rate, 1e9 / (1100 * kUs), 1);
  const auto gain = GainOfTokens(system.model, {.waits = {{kClient, kClient, false}}});
  ASSERT_TRUE(gain.ok()) << gain.status();
  EXPECT_NEAR(gain->expected, 4 * 1100.0 / 1400, 0.01);
  const auto of_two = GainOfTokens(system.model, {.splits = {{kClient, kClient, 2, false, {}}}});
  ASSERT_TRUE(of_two.ok()) << of_two.status();
  EXPECT_NEAR(of_two->expected, 2, 0.02) << "two connections with a lock each";
  EXPECT_FALSE(GainOfTokens(system.model, {.splits = {{kClient, kClient, 1, true, {}}}}).ok())
      << "one that asks for all is another question";
  // Threads with a connection each wait for something else.
  system.model.population = 4;
  system.RecordItself();
  EXPECT_FALSE(GainOfTokens(system.model, {.waits = {{kClient, kClient, false}}}).ok());
}

// A thread of any kind that asks over the pool may be meant.
TEST(TokenChanges, PoolsOfSeveralKindsOfThreadsAreOne) {
  TokenSystem system(/*population=*/4);
  const uint32_t pool = system.AddSeats(1, kServer, /*is_pool=*/true);
  system.model.seats[pool].more_askers = {7};
  for (size_t i = 0; i < 1000; ++i)
    system.Step({.deed = TokenDeed::kAsk}).Take(pool).Pause(100 * kUs).Give(pool).Answer().End();
  system.RecordItself();
  const auto gain = GainOfTokens(system.model, {.more_at_once = {{7, 4, false, {}}}});
  ASSERT_TRUE(gain.ok()) << gain.status();
  EXPECT_NEAR(gain->expected, 4, 0.01);
}

}  // namespace
}  // namespace gordian
