// SPDX-License-Identifier: Apache-2.0
// Lines that no thread shows.
#include "analysis/token_queues.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "analysis/token_locks.h"
#include "analysis/token_teller.h"
#include "requests/test_talk.h"
#include "tests/support/time_literals.h"

namespace gordian {
namespace {

using testing::kSleep;
using testing::TestTalk;
using namespace testing;  // NOLINT: literals of time

constexpr uint16_t kPrices = 9000;

std::vector<Request> OpenAt(std::initializer_list<OpenStretch> times) {
  std::vector<Request> requests;
  for (const OpenStretch& time : times)
    requests.push_back({.start_ns = time.from_ns, .answer_ns = time.to_ns});
  return requests;
}

std::vector<OpenStretch> FullWhen(const std::vector<Request>& requests, uint64_t as_many) {
  std::vector<const Request*> all;
  for (const Request& request : requests) all.push_back(&request);
  return WhenAsManyWereOpen(all, as_many);
}

TEST(FullStretches, LastWhileSoManyAreOpen) {
  const std::vector<OpenStretch> full = FullWhen(OpenAt({{10, 40}, {20, 60}, {50, 70}}), 2);
  ASSERT_EQ(full.size(), 2u);
  EXPECT_EQ(full[0].from_ns, 20u);
  EXPECT_EQ(full[0].to_ns, 40u);
  EXPECT_EQ(full[1].from_ns, 50u);
  EXPECT_EQ(full[1].to_ns, 60u);
  EXPECT_EQ(TimeWithin(full, 0, 100), 30u);
  EXPECT_EQ(TimeWithin(full, 30, 55), 15u);
  EXPECT_EQ(TimeWithin(full, 60, 100), 0u);
}

TEST(FullStretches, GoOnWhereOneEndsAsAnotherBegins) {
  const std::vector<OpenStretch> full = FullWhen(OpenAt({{10, 20}, {20, 30}}), 1);
  ASSERT_EQ(full.size(), 1u);
  EXPECT_EQ(TimeWithin(full, 0, 100), 20u);
}

TEST(FullStretches, AreNoneOfNobody) {
  EXPECT_TRUE(FullWhen({}, 1).empty());
  EXPECT_TRUE(FullWhen(OpenAt({{10, 20}}), 0).empty());
  EXPECT_TRUE(FullWhen(OpenAt({{10, 20}}), 2).empty());
}

// Two programs; the first one asks for prices, of which one at a time is under way, from 10 to 90.
class QueuesInPacketsTest : public ::testing::Test {
 protected:
  QueuesInPacketsTest() {
    talk_.trace().Thread(10, "cart").Thread(20, "other");
    talk_.At(0, 0).Run(10);
    talk_.At(1_us, 0).Block(kSleep);
    talk_.At(2_us, 1).Run(20);
    talk_.At(3_us, 1).Block(kSleep);
    talk_.At(10_us, 1).WakeFromTimer(20).Run(20);
    timeline_ = &talk_.Load();
    turns_.port = 80;
    turns_.asker_of[kPrices] = talk_.Id("cart");
    turns_.full_when[kPrices] = {{10, 90}};
  }
  uint16_t StoodFor(const char* thread, OpenStretch asleep) const {
    const std::vector<OpenStretch> all = {asleep};
    return QueuesInPackets(*timeline_, turns_).PortStoodFor(talk_.Id(thread), all);
  }

  TestTalk talk_;
  const Timeline* timeline_ = nullptr;
  TokenTurns turns_;
};

TEST_F(QueuesInPacketsTest, AreForASeatThatIsTakenMeanwhile) {
  EXPECT_EQ(StoodFor("cart", {20, 60}), kPrices);
  EXPECT_EQ(StoodFor("cart", {60, 100}), kPrices);
}

TEST_F(QueuesInPacketsTest, AreNoneWhileASeatIsFree) {
  EXPECT_EQ(StoodFor("cart", {80, 120}), 0);
  EXPECT_EQ(StoodFor("cart", {100, 120}), 0);
}

TEST_F(QueuesInPacketsTest, AreNoneOfProgramsThatDoNotAskThere) {
  EXPECT_EQ(StoodFor("other", {20, 60}), 0);
}

TEST_F(QueuesInPacketsTest, AreNoneForTheRootItself) {
  turns_.port = kPrices;
  EXPECT_EQ(StoodFor("cart", {20, 60}), 0);
}

// A seat is free for two fifths of the time. Requests sleep by a timer, and then ask for a price;
// so many of ten of these sleeps begin while a seat is free.
class SleepsBeforeQuestions : public QueuesInPacketsTest {
 protected:
  bool LookFor(size_t requests, size_t of_ten_while_free) {
    const uint64_t begin_ns = timeline_->start_ns();
    turns_.full_when[kPrices].clear();
    for (uint64_t from_ns = begin_ns; from_ns < timeline_->end_ns(); from_ns += 100)
      turns_.full_when[kPrices].push_back({from_ns, from_ns + 60});
    turns_.port_of_server[talk_.Id("other")] = kPrices;
    for (size_t i = 0; i < requests; ++i) {
      const uint64_t from_ns = begin_ns + 100 * i + (i % 10 < of_ten_while_free ? 80 : 20);
      turns_.turns.push_back({.way = {{.from_ns = from_ns,
                                       .to_ns = from_ns + 100,
                                       .kind = RequestStepKind::kTimer,
                                       .thread = talk_.Id("cart")},
                                      {.from_ns = from_ns + 100,
                                       .to_ns = from_ns + 150,
                                       .kind = RequestStepKind::kPeer,
                                       .thread = talk_.Id("cart"),
                                       .waits_for = talk_.Id("other")}}});
    }
    return QueuesInPackets(*timeline_, turns_).IsLookedFor(kPrices);
  }
};

TEST_F(SleepsBeforeQuestions, ThatHardlyEverBeginWhileASeatIsFreeAreLooksForOne) {
  EXPECT_TRUE(LookFor(/*requests=*/80, /*of_ten_while_free=*/1));
}

TEST_F(SleepsBeforeQuestions, ThatBeginAtAnyTimeAreNone) {
  EXPECT_FALSE(LookFor(/*requests=*/80, /*of_ten_while_free=*/4));
}

TEST_F(SleepsBeforeQuestions, ThatAreFewTellNothing) {
  EXPECT_FALSE(LookFor(/*requests=*/20, /*of_ten_while_free=*/0));
}

// A request stands at the loop `cart` from 2 to 5 µs while that sleeps, and is worked for behind
// that. It asks nothing itself.
class StandingInLine : public QueuesInPacketsTest {
 protected:
  ToldTokens Tell(uint64_t full_until_ns, bool with_queues) {
    turns_.full_when[kPrices] = {{TestTalk::Time(1_us), TestTalk::Time(full_until_ns)}};
    turns_.open_at_once[kPrices] = 1;
    turns_.population = 2;
    const EntityId cart = talk_.Id("cart");
    request_ = {.thread = cart,
                .client = talk_.Id("other"),
                .start_ns = TestTalk::Time(2_us),
                .answer_ns = TestTalk::Time(6_us)};
    turns_.turns.assign(1, {.request = &request_, .answered_ns = TestTalk::Time(1_us)});
    turns_.turns[0].way = {{.from_ns = TestTalk::Time(2_us),
                            .to_ns = TestTalk::Time(5_us),
                            .kind = RequestStepKind::kBehind,
                            .thread = cart},
                           {.from_ns = TestTalk::Time(5_us),
                            .to_ns = TestTalk::Time(6_us),
                            .kind = RequestStepKind::kRun,
                            .thread = cart}};
    turns_.requests = 1;
    turns_.asked_by[request_.client] = 1;
    const std::vector<uint32_t> vertices = {cart == 0 ? 0u : 1u, cart == 0 ? 1u : 0u};
    const std::set<uint32_t> loops = {vertices[cart]};
    const QueuesInPackets queues(*timeline_, turns_);
    return TellTokens(*timeline_, turns_, vertices, loops,
                      LocksOfTurns(*timeline_, turns_, vertices, loops),
                      with_queues ? &queues : nullptr);
  }
  static double SleptNs(const ToldTokens& told) {
    double slept_ns = 0;
    for (const TokenStep& step : told.model.steps)
      if (step.deed == TokenDeed::kPause && step.pause == TokenPause::kTimer) slept_ns += step.ns;
    return slept_ns;
  }
  // Of the connections to the prices; it gives each back at once.
  static size_t TakesOfPool(const ToldTokens& told) {
    const auto pool = told.pools.find(kPrices);
    if (pool == told.pools.end()) return 0;
    size_t takes = 0;
    for (const TokenStep& step : told.model.steps)
      takes += step.deed == TokenDeed::kTake && step.place == pool->second ? 1 : 0;
    return takes;
  }

 private:
  Request request_;
};

TEST_F(StandingInLine, IsNoSleepOfTheRequestButAPlaceInTheLineForASeat) {
  const ToldTokens told = Tell(/*full_until_ns=*/6_us, /*with_queues=*/true);
  EXPECT_TRUE(told.stood_in_line);
  EXPECT_EQ(TakesOfPool(told), 1u);
  EXPECT_EQ(SleptNs(told), 0);
}

TEST_F(StandingInLine, IsASleepWhereASeatWasFreeOrQueuesAreNotAskedFor) {
  for (const bool with_queues : {true, false}) {
    const ToldTokens told = Tell(/*full_until_ns=*/with_queues ? 3_us : 6_us, with_queues);
    EXPECT_FALSE(told.stood_in_line);
    EXPECT_EQ(TakesOfPool(told), 0u);
    EXPECT_EQ(SleptNs(told), 3'000);
  }
}

}  // namespace
}  // namespace gordian
