// SPDX-License-Identifier: Apache-2.0
// Clients that ask when their timer ends, and not when an answer comes.
#include "analysis/token_clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "analysis/token_requests.h"
#include "requests/test_talk.h"
#include "tests/support/time_literals.h"

namespace gordian {
namespace {

using testing::kSleep;
using testing::TestTalk;
using namespace testing;  // NOLINT: literals of time

constexpr int32_t kCrawler = 20, kShop = 10;
constexpr uint16_t kFirstPort = 50001;

// A client with two connections asks when its timer ends: each 5 ms, or two times of five
// after 20 ms. The shop answers after 3 ms.
TokenModel TokensByClock(TestTalk& talk, bool evenly) {
  talk.trace().Thread(kCrawler, "crawler").Thread(kShop, "shop");
  talk.At(0, 0).Run(kCrawler);
  talk.At(1_us, 0).Block(kSleep);
  talk.At(2_us, 1).Run(kShop);
  talk.At(3_us, 1).Block(kSleep);
  uint64_t at_ns = 1_ms;
  for (uint16_t i = 0; i < 400; ++i) {
    const auto port = static_cast<uint16_t>(kFirstPort + i % 2);
    talk.At(at_ns, 0).WakeFromTimer(kCrawler).Run(kCrawler);
    talk.At(at_ns + 10_us, 0);
    talk.Ask(port, 100, kCrawler);
    talk.At(at_ns + 10_us, 0).Wake(kShop);
    talk.At(at_ns + 20_us, 0).Block(kSleep);
    talk.At(at_ns + 21_us, 1).Run(kShop);
    talk.At(at_ns + 30_us, 1).Block(kSleep);
    talk.At(at_ns + 3_ms, 1).WakeFromTimer(kShop).Run(kShop);
    talk.At(at_ns + 3_ms + 10_us, 1);
    talk.Answer(port, kShop, 100, kServerPort, /*local=*/true);
    talk.At(at_ns + 3_ms + 10_us, 1).Wake(kCrawler);
    talk.At(at_ns + 3_ms + 11_us, 1).Block(kSleep);
    talk.At(at_ns + 3_ms + 12_us, 0).Run(kCrawler);
    talk.At(at_ns + 3_ms + 20_us, 0).Block(kSleep);
    at_ns += evenly || i % 5 < 3 ? 5_ms : 20_ms;
  }
  const Timeline& timeline = talk.Load();
  const FoundRequests found = talk.Find();
  const RequestWalk walk(timeline, found);
  std::vector<uint32_t> vertices(timeline.entities().size());
  std::iota(vertices.begin(), vertices.end(), 0);
  const StackSums stacks;
  const Code code;
  const auto model = TokensOfRequests({.timeline = timeline,
                                       .found = found,
                                       .walk = walk,
                                       .vertex_of_entity = vertices,
                                       .stacks = stacks,
                                       .code = code});
  EXPECT_TRUE(model.ok()) << model.status();
  return model.ok() ? *model : TokenModel();
}

bool HasClock(const TokenModel& model) {
  return std::any_of(model.seats.begin(), model.seats.end(),
                     [](const TokenSeats& seats) { return seats.is_clock; });
}

TEST(ClockedClients, AskAsOftenAsTheirTimerLetsThem) {
  TestTalk talk;
  const TokenModel model = TokensByClock(talk, /*evenly=*/true);
  EXPECT_TRUE(HasClock(model));
  EXPECT_NEAR(PlayTokens(model, 2000).rate, 200, 4);
}

TEST(ClockedClients, AskMoreOftenWithAFasterClockUntilTheServerIsTheLimit) {
  TestTalk talk;
  const TokenModel model = TokensByClock(talk, /*evenly=*/true);
  const auto faster = GainOfTokens(model, {.timers = {{talk.Id("crawler"), 0.8}}});
  ASSERT_TRUE(faster.ok()) << faster.status();
  EXPECT_NEAR(faster->expected, 1.25, 0.03);
  const auto fastest = GainOfTokens(model, {.timers = {{talk.Id("crawler"), 0.1}}});
  ASSERT_TRUE(fastest.ok()) << fastest.status();
  EXPECT_NEAR(fastest->expected, 5.0 / 3, 0.1);
}

TEST(ClockedClients, GainNothingByFasterAnswers) {
  TestTalk talk;
  const TokenModel model = TokensByClock(talk, /*evenly=*/true);
  const auto gain = GainOfTokens(model, {.timers = {{talk.Id("shop"), 0.5}}});
  ASSERT_TRUE(gain.ok()) << gain.status();
  EXPECT_NEAR(gain->expected, 1, 0.02);
}

// Each connection rests for a time of its own, or requests come from elsewhere.
TEST(ClockedClients, AreNoneThatAskAtRandomTimes) {
  TestTalk talk;
  EXPECT_FALSE(HasClock(TokensByClock(talk, /*evenly=*/false)));
}

}  // namespace
}  // namespace gordian
