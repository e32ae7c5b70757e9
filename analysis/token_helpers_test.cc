// SPDX-License-Identifier: Apache-2.0
#include "analysis/token_helpers.h"

#include <gtest/gtest.h>

namespace gordian {
namespace {

constexpr uint32_t kServerVertex = 1, kHelperVertex = 2, kLockPlace = 0;

// Eight tokens; each request waits for a helper that sleeps for 3 ms, under a lock.
TokenModel AskingAHelper() {
  TokenModel model;
  model.population = 8;
  model.recorded_rate = 1e9 / 3.01e6;
  model.nodes = {{.all = 4, .cpus = 4}};
  model.seats.push_back(
      {.vertex = kServerVertex, .is_lock = true, .waiter = kServerVertex, .count = 1});
  for (int i = 0; i < 100; ++i) {
    model.steps.push_back({.deed = TokenDeed::kAsk});
    model.steps.push_back({.deed = TokenDeed::kTake, .place = kLockPlace});
    model.steps.push_back({.deed = TokenDeed::kRun, .who = kServerVertex, .ns = 1e4});
    model.steps.push_back(
        {.deed = TokenDeed::kPause, .pause = TokenPause::kTimer, .who = kHelperVertex, .ns = 3e6});
    model.steps.push_back({.deed = TokenDeed::kGive, .place = kLockPlace});
    model.steps.push_back({.deed = TokenDeed::kAnswer});
    model.EndRequest();
  }
  return model;
}

double RateWithoutLock(const TokenModel& model) {
  const auto changed =
      ChangedTokens(model, {.waits = {{kServerVertex, kServerVertex, /*keeps_up=*/false}}}, true);
  return changed ? PlayTokens(*changed, 2000).rate : 0;
}

TEST(TokenHelpers, AreThreadsThatRequestsWaitForWithoutASeat) {
  const std::vector<TokenHelper> helpers = HelpersOf(AskingAHelper(), {0, 8, 1});
  ASSERT_EQ(helpers.size(), 1u);
  EXPECT_EQ(helpers[0].vertex, kHelperVertex);
  EXPECT_EQ(helpers[0].threads, 1u);
  EXPECT_TRUE(HelpersOf(AskingAHelper(), {0, 8, 8}).empty());
  TokenModel seldom = AskingAHelper();
  seldom.recorded_rate = 10;
  EXPECT_TRUE(HelpersOf(seldom, {0, 8, 1}).empty());
}

// A limiter in a client's loop: its naps between questions are no line of requests.
TEST(TokenHelpers, AreNoClients) {
  TokenModel model = AskingAHelper();
  model.askers = {kHelperVertex};
  EXPECT_TRUE(HelpersOf(model, {0, 8, 1}).empty());
}

TEST(TokenHelpers, WorkForOneRequestAtATimeWithoutTheLockThatSawToThat) {
  const TokenModel model = AskingAHelper();
  EXPECT_NEAR(RateWithoutLock(model), 8e9 / 3.01e6, 30);
  for (const uint32_t threads : {1, 2}) {
    const TokenModel helped = WithHelper(model, {kHelperVertex, threads});
    EXPECT_NEAR(PlayTokens(helped, 2000).rate, 1e9 / 3.01e6, 5);
    EXPECT_NEAR(RateWithoutLock(helped), threads * 1e9 / 3e6, 5);
  }
}

// One of two workers has the seat while a dispatcher sleeps for 3 ms before it gives it a request.
TEST(TokenHelpers, ThatGiveWorkKeepNoWorkerFromIt) {
  TokenModel model = AskingAHelper();
  model.seats[kLockPlace] = {.vertex = kServerVertex, .count = 2};
  const TokenHelper dispatchers = {kHelperVertex, 4};
  EXPECT_NEAR(PlayTokens(WithHelper(model, dispatchers), 2000).rate, 2e9 / 3.01e6, 10);
  EXPECT_NEAR(PlayTokens(WithHelper(model, dispatchers, {kServerVertex}), 2000).rate, 4e9 / 3.01e6,
              15);
}

// A few requests were seen to come to the helper: these have its seat already.
TEST(TokenHelpers, HaveTheSeatsThatAFewRequestsWereSeenToTake) {
  TokenModel model = AskingAHelper();
  model.seats.push_back({.vertex = kHelperVertex, .count = kEndlessSeats});
  model.steps.push_back({.deed = TokenDeed::kAsk});
  model.steps.push_back({.deed = TokenDeed::kTake, .place = 1, .who = kHelperVertex});
  model.steps.push_back(
      {.deed = TokenDeed::kPause, .pause = TokenPause::kTimer, .who = kHelperVertex, .ns = 3e6});
  model.steps.push_back({.deed = TokenDeed::kGive, .place = 1, .who = kHelperVertex});
  model.steps.push_back({.deed = TokenDeed::kAnswer});
  model.EndRequest();
  ASSERT_EQ(HelpersOf(model, {0, 8, 1}).size(), 1u);
  const TokenModel helped = WithHelper(model, {kHelperVertex, 1});
  EXPECT_EQ(helped.seats.size(), 2u);
  EXPECT_NEAR(RateWithoutLock(helped), 1e9 / 3e6, 5);
}

// A request that stood behind another one at the helper may have been seen to wait for both.
TEST(TokenHelpers, AreBusyForNoLongerThanThereIsTime) {
  TokenModel model = AskingAHelper();
  for (TokenStep& step : model.steps)
    if (step.deed == TokenDeed::kPause) step.ns *= 1.2;
  const TokenModel helped = WithHelper(model, {kHelperVertex, 1});
  EXPECT_NEAR(RateWithoutLock(helped), model.recorded_rate, 5);
}

}  // namespace
}  // namespace gordian
