// SPDX-License-Identifier: Apache-2.0
// More threads, connections and clients of made-up systems, whose gains are known.
#include <gtest/gtest.h>

#include <utility>

#include "whatif/requests/requests.h"
#include "whatif/requests/test_tokens.h"

namespace gordian {
namespace {

using testing::kClient;
using testing::kServer;
using testing::kUs;
using testing::kVda;
using testing::TokenSystem;

TEST(TokenSeatChanges, LargerPoolIsMoreSeats) {
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

TEST(TokenSeatChanges, PermitsAroundQuestionsAreAsManyAsMayBeUnderWay) {
  for (const bool asks_with_it : {true, false}) {
    TokenSystem system(/*population=*/16, /*cpus=*/2);
    const uint32_t permits = system.AddLock();
    system.model.seats[permits].count = 2;
    const uint32_t pool = system.AddSeats(2, kServer, /*is_pool=*/true);
    for (size_t i = 0; i < 1000; ++i) {
      system.Think(0).Take(permits).Pause(1'000 * kUs, TokenPause::kTimer);
      if (!asks_with_it) system.Give(permits);
      system.Take(pool).Pause(1'000 * kUs, TokenPause::kTimer).Give(pool);
      if (asks_with_it) system.Give(permits);
      system.Answer().End();
    }
    system.RecordItself();
    const auto gain = GainOfTokens(system.model, {.more_at_once = {{kServer, 4, false, {}}}});
    ASSERT_TRUE(gain.ok()) << gain.status();
    EXPECT_NEAR(gain->expected, asks_with_it ? 4 : 1, 0.1);
    const auto without = GainOfTokens(system.model, {.waits = {{kServer, kServer, false}}});
    ASSERT_TRUE(without.ok()) << without.status();
    EXPECT_NEAR(without->expected, asks_with_it ? 8 : 1, 0.2);
  }
}

// A request that finds a permit free does not wait for it, so nobody sees that it has one.
TEST(TokenSeatChanges, PermitsAreAtLeastAsManyAsQuestionsUnderWay) {
  TokenSystem system(/*population=*/16, /*cpus=*/2);
  const uint32_t permits = system.AddLock();
  system.model.seats[permits].count = 2;
  const uint32_t pool = system.AddSeats(3, kServer, /*is_pool=*/true);
  for (size_t i = 0; i < 1000; ++i) {
    const bool has_waited = i % 3 != 0;
    system.Think(0);
    if (has_waited) system.Take(permits);
    system.Take(pool).Pause(1'000 * kUs, TokenPause::kTimer).Give(pool);
    if (has_waited) system.Give(permits);
    system.Answer().End();
  }
  system.RecordItself();
  const auto gain = GainOfTokens(system.model, {.more_at_once = {{kServer, 4, false, {}}}});
  ASSERT_TRUE(gain.ok()) << gain.status();
  EXPECT_NEAR(gain->after.rate, 12'000, 100);  // twelve at a time, each for a millisecond
}

TEST(TokenSeatChanges, MoreClientsAreMoreTokens) {
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

TEST(TokenSeatChanges, ThreadsThatShareAConnectionHaveOneRequestEach) {
  TokenSystem system(/*population=*/1, /*cpus=*/8);
  const uint32_t askers = system.AddSeats(4, kClient);
  for (size_t i = 0; i < 1000; ++i)
    system.Take(askers).Run(1 * kUs, kClient).Give(askers).Think(0).Pause(99 * kUs).Answer().End();
  system.RecordItself();
  const auto gain = GainOfTokens(system.model, {.more_at_once = {{kClient, 8, false, {}}}});
  ASSERT_TRUE(gain.ok()) << gain.status();
  EXPECT_NEAR(gain->expected, 4, 0.05);
}

TEST(TokenSeatChanges, MoreThreadsServeWhereThreadsAreTheLimit) {
  TokenSystem system(/*population=*/8, /*cpus=*/8);
  const uint32_t workers = system.AddSeats(1);
  for (size_t i = 0; i < 1000; ++i)
    system.Think(0).Take(workers).Pause(100 * kUs).Give(workers).Answer().End();
  system.RecordItself();
  const auto gain = GainOfTokens(system.model, {.added_threads = {{kServer, 3}}});
  ASSERT_TRUE(gain.ok()) << gain.status();
  EXPECT_NEAR(gain->expected, 4, 0.05);
}

// Two workers with a connection each; or two connections that eight share; or a loop of events.
TEST(TokenSeatChanges, WorkersWithAConnectionEachBecomeMoreToHaveMoreQuestionsUnderWay) {
  const auto changed = [](uint32_t threads, bool gives_seat_back) {
    TokenSystem system(/*population=*/16, /*cpus=*/2);
    const uint32_t workers = system.AddSeats(threads);
    const uint32_t pool = system.AddSeats(2, kServer, /*is_pool=*/true);
    system.model.seats[pool].of_each = true;
    for (size_t i = 0; i < 1000; ++i) {
      system.Think(0).Take(workers);
      if (gives_seat_back) system.Give(workers);
      system.Take(pool).Pause(1000 * kUs).Give(pool);
      if (!gives_seat_back) system.Give(workers);
      system.Answer().End();
    }
    system.RecordItself();
    const Changes changes = {.more_at_once = {{kServer, 4, false, {}}}};
    return std::pair(ChangedTokens(system.model, changes, true)->seats[workers].count,
                     GainOfTokens(system.model, changes)->expected);
  };
  EXPECT_EQ(changed(2, false).first, 8u);
  EXPECT_NEAR(changed(2, false).second, 4, 0.05);
  EXPECT_EQ(changed(8, false).first, 8u);
  EXPECT_NEAR(changed(8, false).second, 4, 0.05);
  EXPECT_EQ(changed(2, true).first, 2u);
  EXPECT_NEAR(changed(2, true).second, 4, 0.05);
}

TEST(TokenSeatChanges, ServerThatSleepsWithRequestsTakesMoreOfThemAtATime) {
  const auto gain_of = [](TokenDeed deed) {
    TokenSystem system(/*population=*/8, /*cpus=*/1);
    const uint32_t worker = system.AddSeats(1);
    for (size_t i = 0; i < 1000; ++i) {
      system.Think(0).Take(worker);
      deed == TokenDeed::kRun ? system.Run(100 * kUs) : system.Pause(100 * kUs);
      system.Give(worker).Answer().End();
    }
    system.RecordItself();
    return GainOfTokens(system.model, {.more_at_once = {{kServer, 4, false, {}}}});
  };
  const auto of_sleeper = gain_of(TokenDeed::kPause);
  ASSERT_TRUE(of_sleeper.ok()) << of_sleeper.status();
  EXPECT_NEAR(of_sleeper->expected, 4, 0.05);
  EXPECT_FALSE(gain_of(TokenDeed::kRun).ok()) << "who runs can do nothing else meanwhile";
}

// A helper that is asked by pipes is a connection, too. Of eight threads that could ask one does.
TEST(TokenSeatChanges, AddedHelpersThatAreAskedAtOnceAreMoreTokens) {
  const auto gain_with = [](bool is_private, uint32_t clients) {
    TokenSystem system(/*population=*/1, /*cpus=*/8);
    const uint32_t askers = system.AddSeats(clients, kClient);
    const uint32_t helper = system.AddSeats(1);
    system.model.seats[helper].grows = true;
    system.model.is_private = is_private;
    for (size_t i = 0; i < 1000; ++i) {
      system.Take(askers).Run(1 * kUs, kClient).Give(askers);
      system.Think(0).Take(helper).Pause(99 * kUs).Give(helper).Answer().End();
    }
    system.RecordItself();
    return GainOfTokens(system.model, {.added_threads = {{kServer, 3}}})->expected;
  };
  EXPECT_NEAR(gain_with(true, 8), 4, 0.05);
  EXPECT_NEAR(gain_with(true, 2), 2, 0.05);
  EXPECT_NEAR(gain_with(true, 1), 1, 0.02) << "nobody would ask the others";
  EXPECT_NEAR(gain_with(false, 8), 1, 0.02) << "clients bring their connections";
}

// A service with a thread for each connection, before which each worker has one.
TEST(TokenSeatChanges, AddedThreadsBringTheirConnectionAndWhoServesIt) {
  const auto gain_with = [](bool of_each, bool has_one_for_each) {
    TokenSystem system(/*population=*/8, /*cpus=*/8);
    const uint32_t workers = system.AddSeats(1);
    const uint32_t pool = system.AddSeats(1, kServer, /*is_pool=*/true);
    const uint32_t service = system.AddSeats(1, kVda);
    system.model.seats[pool].of_each = of_each;
    if (has_one_for_each) system.model.seats[service].one_each_of = pool;
    for (size_t i = 0; i < 1000; ++i) {
      system.Think(0).Take(workers).Take(pool).Take(service).Pause(100 * kUs);
      system.Give(service).Give(pool).Give(workers).Answer().End();
    }
    system.RecordItself();
    return GainOfTokens(system.model, {.added_threads = {{kServer, 3}}})->expected;
  };
  EXPECT_NEAR(gain_with(true, true), 4, 0.05);
  EXPECT_NEAR(gain_with(true, false), 1, 0.02) << "one thread for all connections";
  EXPECT_NEAR(gain_with(false, true), 1, 0.02) << "a connection that all share";
}

// A program with helpers has a connection to each. They have a back end with a thread for each.
TEST(TokenSeatChanges, AddedHelpersBringTheirConnections) {
  const auto gain_with = [](bool is_private) {
    TokenSystem system(/*population=*/8, /*cpus=*/8);
    const uint32_t to_helpers = system.AddSeats(1, kClient, /*is_pool=*/true);
    const uint32_t helpers = system.AddSeats(1);
    const uint32_t to_back = system.AddSeats(1, kServer, /*is_pool=*/true);
    const uint32_t back = system.AddSeats(1, kVda);
    system.model.seats[to_helpers].is_private = is_private;
    system.model.seats[helpers].one_each_of = to_helpers;
    system.model.seats[to_back].of_each = true;
    system.model.seats[back].one_each_of = to_back;
    for (size_t i = 0; i < 1000; ++i) {
      system.Think(0).Take(to_helpers).Take(helpers).Take(to_back).Take(back).Pause(100 * kUs);
      system.Give(back).Give(to_back).Give(helpers).Give(to_helpers).Answer().End();
    }
    system.RecordItself();
    return GainOfTokens(system.model, {.added_threads = {{kServer, 3}}})->expected;
  };
  EXPECT_NEAR(gain_with(true), 4, 0.05);
  EXPECT_NEAR(gain_with(false), 1, 0.02) << "others begin connections to a server";
}

// One that was mostly not full: how many connections there may be is not known.
TEST(TokenSeatChanges, LargerPoolInFrontFillsTheNextOneOrDoesNot) {
  TokenSystem system(/*population=*/8, /*cpus=*/8);
  const uint32_t first = system.AddSeats(1, kServer, /*is_pool=*/true);
  const uint32_t next = system.AddSeats(kEndlessSeats, kVda, /*is_pool=*/true);
  system.model.seats[next].seen = 1;
  for (size_t i = 0; i < 1000; ++i) {
    system.Think(0).Take(first).Pause(75 * kUs).Give(first);
    system.Take(next).Pause(25 * kUs).Give(next).Answer().End();
  }
  system.RecordItself();
  const auto gain = GainOfTokens(system.model, {.more_at_once = {{kServer, 8, false, {}}}});
  ASSERT_TRUE(gain.ok()) << gain.status();
  EXPECT_NEAR(gain->expected, 6, 0.1);  // 8 requests, each of 100 µs
  EXPECT_NEAR(gain->low, 3, 0.1);       // … or one at a time there
}

// Its connections were not seen, but who slept behind them.
TEST(TokenSeatChanges, MoreAtOnceOfAMiddleServerAreMoreOfItsWorkers) {
  constexpr uint32_t kMiddle = 7;
  const auto gain_with = [](bool sleeps) {
    TokenSystem system(/*population=*/8, /*cpus=*/8);
    const uint32_t middle = system.AddSeats(1, kMiddle);
    const uint32_t workers = system.AddSeats(1);
    for (size_t i = 0; i < 1000; ++i) {
      system.Think(0).Take(workers);
      sleeps ? system.Pause(100 * kUs) : system.Run(100 * kUs);
      system.Give(workers).Take(middle).Answer().Give(middle).End();
    }
    system.RecordItself();
    return GainOfTokens(system.model, {.more_at_once = {{kMiddle, 4, false, {}}}});
  };
  const auto gain = gain_with(true);
  ASSERT_TRUE(gain.ok()) << gain.status();
  EXPECT_NEAR(gain->expected, 4, 0.05);
  EXPECT_FALSE(gain_with(false).ok()) << "a worker that only runs may be asked as often already";
}

// What a client does behind an answer before it lets others ask, it does before its next question
// if there is nothing to let go.
TEST(TokenSeatChanges, WorkBehindAnAnswerStaysWithoutTheLockAroundIt) {
  TokenSystem system(/*population=*/2, /*cpus=*/8);
  system.model.seats.push_back({.vertex = kClient, .is_lock = true, .waiter = kClient, .count = 1});
  for (size_t i = 0; i < 1000; ++i) {
    system.Take(0).Run(10 * kUs, kClient).Step({.deed = TokenDeed::kAsk}).Pause(100 * kUs);
    system.Answer();
    system.Step({.deed = TokenDeed::kGive, .place = 0, .who = kClient, .ns = 90 * kUs}).End();
  }
  EXPECT_NEAR(PlayTokens(system.model, 2000).rate, 5000, 50);
  const auto changed = ChangedTokens(
      system.model, {.waits = {{kClient, kClient, /*keeps_up=*/false}}}, /*with_path=*/true);
  ASSERT_TRUE(changed);
  EXPECT_NEAR(PlayTokens(*changed, 2000).rate, 10'000, 100);
}

TEST(TokenSeatChanges, MoreConnectionsHaveMoreThreadsBehindThem) {
  TokenSystem system(/*population=*/8, /*cpus=*/8);
  const uint32_t pool = system.AddSeats(1, kServer, /*is_pool=*/true);
  const uint32_t service = system.AddSeats(1, kVda);
  system.model.seats[service].one_each_of = pool;
  for (size_t i = 0; i < 1000; ++i)
    system.Think(0)
        .Take(pool)
        .Take(service)
        .Pause(100 * kUs)
        .Give(service)
        .Give(pool)
        .Answer()
        .End();
  system.RecordItself();
  const auto gain = GainOfTokens(system.model, {.more_at_once = {{kServer, 4, false, {}}}});
  ASSERT_TRUE(gain.ok()) << gain.status();
  EXPECT_NEAR(gain->expected, 4, 0.05);
}

}  // namespace
}  // namespace gordian
