// SPDX-License-Identifier: Apache-2.0
// Tokens of recordings whose way through the server is known.
#include "analysis/token_requests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "requests/test_talk.h"
#include "tests/support/time_literals.h"

namespace gordian {
namespace {

using ::testing::HasSubstr;
using testing::kDiskSleep;
using testing::kServerPort;
using testing::kSleep;
using testing::TestTalk;
using namespace testing;  // NOLINT: literals of time

constexpr uint16_t kClientPort = 50001;
constexpr uint16_t kBackPort = 50002;
constexpr uint16_t kBackend = 9000;
constexpr int32_t kClientTid = 20, kServerTid = 10, kBackTid = 30;

// Each entity is a vertex of its own.
absl::StatusOr<TokenModel> TokensOf(TestTalk& talk, const RequestSearch& search = {}) {
  const Timeline& timeline = talk.Load();
  const FoundRequests found = talk.Find(search);
  const RequestWalk walk(timeline, found);
  std::vector<uint32_t> vertices(timeline.entities().size());
  std::iota(vertices.begin(), vertices.end(), 0);
  const StackSums stacks;
  const Code code;
  return TokensOfRequests({.timeline = timeline,
                           .found = found,
                           .walk = walk,
                           .vertex_of_entity = vertices,
                           .stacks = stacks,
                           .code = code});
}

// One client asks, again and again: 20 µs until the server runs, 80 µs of work, 200 µs for the
// disk, 20 µs until it runs again, 40 µs of work and its answer; the client wakes and runs
// likewise. Behind its question it may go on for 200 µs.
void PlaySyncing(TestTalk& talk, size_t rounds, bool goes_on = false) {
  const uint32_t disk = talk.trace().Disk("vda");
  talk.trace().Thread(kServerTid, "server").Thread(kClientTid, "client");
  talk.At(0, 0).Run(kServerTid);
  talk.At(1_us, 0).Block(kSleep);
  talk.At(2_us, 1).Run(kClientTid);
  for (size_t round = 0; round < rounds; ++round) {
    const uint64_t begin_ns = 100_us + round * 400_us;
    talk.At(begin_ns, 1);
    talk.Ask(kClientPort, 100, kClientTid);
    talk.At(begin_ns, 1).Wake(kServerTid);
    if (!goes_on) talk.At(begin_ns + 1_us, 1).Block(kSleep);
    talk.At(begin_ns + 20_us, 0).Run(kServerTid);
    talk.At(begin_ns + 100_us, 0).Block(kDiskSleep);
    if (goes_on) talk.At(begin_ns + 200_us, 1).Block(kSleep);
    talk.At(begin_ns + 300_us, 0).WakeFromBlock(kServerTid, disk);
    talk.At(begin_ns + 320_us, 0).Run(kServerTid);
    talk.At(begin_ns + 360_us, 0);
    talk.Answer(kClientPort, kServerTid, 100, kServerPort, /*local=*/true);
    talk.At(begin_ns + 360_us, 0).Wake(kClientTid);
    talk.At(begin_ns + 361_us, 0).Block(kSleep);
    talk.At(begin_ns + 380_us, 1).Run(kClientTid);
  }
}

TEST(TokenRequests, GiveTheRecordedRateAndResponseTime) {
  TestTalk talk;
  PlaySyncing(talk, 600);
  const auto model = TokensOf(talk);
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->population, 1u);
  EXPECT_EQ(model->requests(), 599u);  // the first one has no turn before it
  EXPECT_GT(model->closed_share, 0.8);
  EXPECT_NEAR(model->recorded_rate, 2500, 25);
  EXPECT_NEAR(model->recorded_response_ns, 360'000, 100);
  const TokenRates rates = PlayTokens(*model, 2000);
  EXPECT_NEAR(rates.rate, 2500, 50);
  EXPECT_NEAR(rates.response_ns, 360'000, 5'000);
}

TEST(TokenRequests, LetClientsWorkWhileTheirQuestionIsUnderWay) {
  TestTalk talk;
  PlaySyncing(talk, 600, /*goes_on=*/true);
  const auto model = TokensOf(talk);
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_NEAR(PlayTokens(*model, 2000).rate, 2500, 50);
}

// Of a long recording only some stretches are looked at.
TEST(TokenRequests, OfStretchesGiveTheRateOfAllOfTheTime) {
  TestTalk talk;
  PlaySyncing(talk, 4000);
  const auto model = TokensOf(talk, {.most_packets = 4000});
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_LT(model->requests(), 2000u);
  EXPECT_GT(model->requests(), 500u);
  EXPECT_EQ(model->population, 1u);
  EXPECT_NEAR(model->recorded_rate, 2500, 50);
  EXPECT_NEAR(model->recorded_response_ns, 360'000, 100);
  EXPECT_NEAR(PlayTokens(*model, 2000).rate, 2500, 75);
}

TEST(TokenRequests, LoseTheDiskAndTheWakeBehindIt) {
  TestTalk talk;
  PlaySyncing(talk, 600);
  const auto model = TokensOf(talk);
  ASSERT_TRUE(model.ok()) << model.status();
  const auto gain =
      GainOfTokens(*model, {.waits = {{talk.Id("server"), talk.Id("vda"), /*keeps_up=*/false}}});
  ASSERT_TRUE(gain.ok()) << gain.status();
  EXPECT_NEAR(gain->expected, 400.0 / 180, 0.05);
  // Of the other threads no disk wait goes.
  const auto other =
      GainOfTokens(*model, {.waits = {{talk.Id("client"), talk.Id("vda"), /*keeps_up=*/false}}});
  EXPECT_THAT(other.status().message(), HasSubstr("no station"));
}

// Two clients at one thread: the second one always waits until the first is answered.
TEST(TokenRequests, QueueAnewForABusyThread) {
  TestTalk talk;
  talk.trace().Thread(kServerTid, "server");
  talk.At(0).Run(kServerTid);
  talk.At(1_us);
  for (uint64_t round = 0; round < 600; ++round) {
    const uint64_t begin_ns = 100_us + round * 200_us;
    talk.At(begin_ns);
    talk.Ask(kClientPort, 100);
    talk.At(begin_ns + 1_us);
    talk.Ask(kClientPort + 1, 100);
    talk.At(begin_ns + 100_us);
    talk.Answer(kClientPort, kServerTid, 100);
    talk.At(begin_ns + 199_us);
    talk.Answer(kClientPort + 1, kServerTid, 100);
  }
  const auto model = TokensOf(talk);
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->population, 2u);
  const TokenRates rates = PlayTokens(*model, 2000);
  EXPECT_NEAR(rates.rate / model->recorded_rate, 1, 0.1);
  // Twice as fast work is twice as many answers: nothing but the thread is scarce.
  const auto changed = ChangedTokens(*model, {.runs = {{talk.Id("server"), 0.5}}}, true);
  ASSERT_TRUE(changed);
  EXPECT_GT(PlayTokens(*changed, 2000).rate, 1.5 * rates.rate);
}

// The server asks another one, over a connection for each question.
void PlayAskingOnce(TestTalk& talk, uint16_t questions = 1) {
  talk.trace().Thread(kServerTid, "server").Thread(kBackTid, "back");
  talk.At(0, 0).Run(kServerTid);
  talk.At(1_us, 0).Block(kSleep);
  talk.At(2_us, 1).Run(kBackTid);
  talk.At(3_us, 1).Block(kSleep);
  for (size_t round = 0; round < 600; ++round) {
    const uint64_t begin_ns = 100_us + round * 400_us;
    talk.At(begin_ns, 0);
    talk.Ask(kClientPort, 100).trace().WakeFromNet(kServerTid, talk.eth());
    talk.At(begin_ns + 10_us, 0).Run(kServerTid);
    talk.At(begin_ns + 50_us, 0);
    for (uint16_t i = 0; i < questions; ++i) talk.Ask(kBackPort + i, 100, kServerTid, kBackend);
    talk.At(begin_ns + 50_us, 0).Wake(kBackTid);
    talk.At(begin_ns + 51_us, 0).Block(kSleep);
    talk.At(begin_ns + 60_us, 1).Run(kBackTid);
    talk.At(begin_ns + 260_us, 1);
    for (uint16_t i = 0; i < questions; ++i)
      talk.Answer(kBackPort + i, kBackTid, 100, kBackend, /*local=*/true);
    talk.At(begin_ns + 260_us, 1).Wake(kServerTid);
    talk.At(begin_ns + 261_us, 1).Block(kSleep);
    talk.At(begin_ns + 270_us, 0).Run(kServerTid);
    talk.At(begin_ns + 300_us, 0);
    talk.Answer(kClientPort, kServerTid, 100);
    talk.At(begin_ns + 301_us, 0).Block(kSleep);
  }
}

TEST(TokenRequests, HaveASeatForEachConnectionToAnotherServer) {
  TestTalk talk;
  PlayAskingOnce(talk);
  const auto model = TokensOf(talk);
  ASSERT_TRUE(model.ok()) << model.status();
  size_t pools = 0;
  for (const TokenSeats& seats : model->seats) {
    if (!seats.is_pool) continue;
    ++pools;
    EXPECT_EQ(seats.count, 1u);
    EXPECT_EQ(seats.vertex, talk.Id("server"));
  }
  EXPECT_EQ(pools, 1u);
  const TokenRates rates = PlayTokens(*model, 2000);
  EXPECT_NEAR(rates.response_ns, 300'000, 10'000);
  EXPECT_FALSE(model->may_carry_several);
}

TEST(TokenRequests, MayBeSeveralOnAConnectionIfMoreOfTheServersQuestionsAreOpen) {
  TestTalk talk;
  PlayAskingOnce(talk, /*questions=*/2);
  const auto model = TokensOf(talk);
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_TRUE(model->may_carry_several);
}

// A front with many connections, an application with one thread, which asks a database and waits
// for it. Of two requests the second one stands in line until the application is done with the
// first: 85 µs of work, 300 µs for the database, 95 µs of work.
void PlayThreeServers(TestTalk& talk, size_t rounds) {
  constexpr int32_t kFront = 11, kApplication = 12, kDatabase = 13;
  constexpr uint16_t kDatabasePort = 50'004, kToDatabase = 9001;
  talk.trace().Thread(kFront, "front").Thread(kApplication, "application");
  talk.trace().Thread(kDatabase, "database");
  talk.At(0, 0).Run(kFront);
  talk.At(1_us, 0).Block(kSleep);
  talk.At(2_us, 1).Run(kApplication);
  talk.At(3_us, 1).Block(kSleep);
  talk.At(4_us, 1).Run(kDatabase);
  talk.At(5_us, 1).Block(kSleep);
  const auto ask_front = [&](uint64_t at_ns, uint16_t number) {
    talk.At(at_ns, 0);
    talk.Ask(kClientPort + number, 100).trace().WakeFromNet(kFront, talk.eth());
    talk.At(at_ns + 1_us, 0).Run(kFront);
    talk.At(at_ns + 10_us, 0);
    talk.Ask(kBackPort + 10 + number, 100, kFront, kBackend);
    if (number == 0) talk.At(at_ns + 10_us, 0).Wake(kApplication);
    talk.At(at_ns + 11_us, 0).Block(kSleep);
  };
  const auto serve = [&](uint64_t at_ns, uint16_t number) {
    talk.At(at_ns + 85_us, 1);
    talk.Ask(kDatabasePort, 100, kApplication, kToDatabase);
    talk.At(at_ns + 85_us, 1).Wake(kDatabase);
    talk.At(at_ns + 86_us, 1).Block(kSleep);
    talk.At(at_ns + 90_us, 1).Run(kDatabase);
    talk.At(at_ns + 385_us, 1);
    talk.Answer(kDatabasePort, kDatabase, 100, kToDatabase, /*local=*/true);
    talk.At(at_ns + 385_us, 1).Wake(kApplication);
    talk.At(at_ns + 386_us, 1).Block(kSleep);
    talk.At(at_ns + 390_us, 1).Run(kApplication);
    talk.At(at_ns + 485_us, 1);
    talk.Answer(kBackPort + 10 + number, kApplication, 100, kBackend, /*local=*/true);
    talk.At(at_ns + 485_us, 1).Wake(kFront);
    talk.At(at_ns + 486_us, 0).Run(kFront);
    talk.At(at_ns + 490_us, 0);
    talk.Answer(kClientPort + number, kFront, 100);
    talk.At(at_ns + 491_us, 0).Block(kSleep);
  };
  for (size_t round = 0; round < rounds; ++round) {
    const uint64_t begin_ns = 100_us + round * 1_ms;
    ask_front(begin_ns, 0);
    talk.At(begin_ns + 15_us, 1).Run(kApplication);
    ask_front(begin_ns + 20_us, 1);
    serve(begin_ns + 15_us, 0);
    serve(begin_ns + 500_us, 1);
    talk.At(begin_ns + 992_us, 1).Block(kSleep);
  }
}

TEST(TokenRequests, KeepTheThreadOfAServerThatAsksAnotherOne) {
  TestTalk talk;
  PlayThreeServers(talk, 600);
  const auto model = TokensOf(talk);
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->population, 2u);
  const TokenRates rates = PlayTokens(*model, 4000);
  // The application alone allows one request each 485 µs.
  EXPECT_LT(rates.rate, 1e9 / 480'000);
  EXPECT_NEAR(rates.rate / model->recorded_rate, 1, 0.1);
  EXPECT_NEAR(rates.response_ns / model->recorded_response_ns, 1, 0.1);
  // A second thread of the application has a connection of its own to the database, which serves
  // one at a time: 295 µs.
  const auto changed =
      ChangedTokens(*model, {.added_threads = {{talk.Id("application"), 1}}}, true);
  ASSERT_TRUE(changed);
  const double rate = PlayTokens(*changed, 4000).rate;
  EXPECT_LT(rate, 1e9 / 290'000);
  EXPECT_GT(rate, 1.2 * rates.rate);
}

// Two workers, each with a connection of its own. The second one's request comes while the first
// one holds a lock, and it waits until that gives it back, 100 µs before its answer.
void PlayLocking(TestTalk& talk, size_t rounds) {
  constexpr int32_t kFirst = 11, kSecond = 12;
  talk.trace().Thread(kFirst, "worker").Thread(kSecond, "worker");
  talk.At(0, 0).Run(kFirst);
  talk.At(1_us, 0).Block(kSleep);
  talk.At(2_us, 1).Run(kSecond);
  talk.At(3_us, 1).Block(kSleep);
  for (size_t round = 0; round < rounds; ++round) {
    const uint64_t begin_ns = 100_us + round * 1_ms;
    talk.At(begin_ns, 0);
    talk.Ask(kClientPort, 100).trace().WakeFromNet(kFirst, talk.eth());
    talk.At(begin_ns + 1_us, 0).Run(kFirst);
    talk.At(begin_ns + 10_us, 1);
    talk.Ask(kClientPort + 1, 100).trace().WakeFromNet(kSecond, talk.eth());
    talk.At(begin_ns + 11_us, 1).Run(kSecond);
    talk.At(begin_ns + 50_us, 1).Block(kSleep);
    talk.At(begin_ns + 300_us, 0).Wake(kSecond);
    talk.At(begin_ns + 301_us, 1).Run(kSecond);
    talk.At(begin_ns + 400_us, 0);
    talk.Answer(kClientPort, kFirst, 100);
    talk.At(begin_ns + 401_us, 0).Block(kSleep);
    talk.At(begin_ns + 500_us, 1);
    talk.Answer(kClientPort + 1, kSecond, 100);
    talk.At(begin_ns + 501_us, 1).Block(kSleep);
  }
}

TEST(TokenRequests, WaitForWhoServesAnotherRequestIsALock) {
  TestTalk talk;
  PlayLocking(talk, 600);
  const auto model = TokensOf(talk);
  ASSERT_TRUE(model.ok()) << model.status();
  const auto lock = std::find_if(model->seats.begin(), model->seats.end(),
                                 [](const TokenSeats& seats) { return seats.is_lock; });
  ASSERT_NE(lock, model->seats.end());
  EXPECT_EQ(lock->count, 1u);
  const auto place = static_cast<uint32_t>(lock - model->seats.begin());
  size_t takes = 0;
  size_t gives = 0;
  for (const TokenStep& step : model->steps) {
    takes += step.deed == TokenDeed::kTake && step.place == place ? 1 : 0;
    gives += step.deed == TokenDeed::kGive && step.place == place ? 1 : 0;
  }
  EXPECT_EQ(takes, gives);
  EXPECT_GE(takes, 599u);  // of who waited, and of who was waited for if it could be told
}

TEST(TokenRequests, NeedRequests) {
  TestTalk talk;
  talk.trace().Thread(kServerTid, "server");
  talk.At(0).Run(kServerTid);
  talk.At(1_ms).Block(kSleep);
  EXPECT_THAT(TokensOf(talk).status().message(), HasSubstr("no requests"));
}

}  // namespace
}  // namespace gordian
