// SPDX-License-Identifier: Apache-2.0
// Clients that keep a mutex for the whole job, question and answer included.
#include "analysis/token_permits.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "analysis/token_requests.h"
#include "requests/test_talk.h"
#include "tests/support/time_literals.h"

namespace gordian {
namespace {

using testing::kSleep;
using testing::TestTalk;
using namespace testing;  // NOLINT: literals of time

constexpr uint16_t kFirstPort = 50001;

// Two clients, each with a connection and a server's thread of its own. One asks with the mutex in
// hand: 10 µs of work, 100 µs until its answer, and 20 µs of work until it gives the mutex to the
// other one, which it wakes. If `holds` is false, each waits for itself only.
absl::StatusOr<TokenModel> TokensOfJobs(bool holds, uint32_t& worker) {
  TestTalk talk;
  for (const int32_t number : {0, 1}) {
    talk.trace().Thread(10 + number, "server").Thread(20 + number, "worker");
    const auto cpu = static_cast<uint16_t>(number);
    const uint64_t begin_ns = 10_us * static_cast<uint64_t>(number);
    talk.At(begin_ns + 1_us, cpu).Run(10 + number);
    talk.At(begin_ns + 2_us, cpu).Block(kSleep);
    talk.At(begin_ns + 3_us, cpu + 2).Run(20 + number);
    if (number == 1) talk.At(begin_ns + 4_us, cpu + 2).Block(kSleep);
  }
  const auto ask = [&](uint64_t at_ns, uint16_t number) {
    const auto server_cpu = number;
    const auto cpu = static_cast<uint16_t>(2 + number);
    const int32_t server = 10 + number;
    const int32_t client = 20 + number;
    talk.At(at_ns, cpu);
    talk.Ask(kFirstPort + number, 100, client);
    talk.At(at_ns, cpu).Wake(server);
    talk.At(at_ns + 1_us, cpu).Block(kSleep);
    talk.At(at_ns + 5_us, server_cpu).Run(server);
    talk.At(at_ns + 100_us, server_cpu);
    talk.Answer(kFirstPort + number, server, 100, testing::kServerPort, /*local=*/true);
    talk.At(at_ns + 100_us, server_cpu).Wake(client);
    talk.At(at_ns + 101_us, server_cpu).Block(kSleep);
    talk.At(at_ns + 105_us, cpu).Run(client);
  };
  for (uint64_t round = 0; round < 600; ++round) {
    const uint64_t begin_ns = 100_us + round * 300_us;
    for (const uint16_t number : {0, 1}) {
      const uint64_t at_ns = begin_ns + number * 150_us;
      const auto cpu = static_cast<uint16_t>(2 + number);
      const auto other_cpu = static_cast<uint16_t>(3 - number);
      ask(at_ns, number);
      if (holds) talk.At(at_ns + 125_us, cpu).Wake(21 - number);
      talk.At(at_ns + 127_us, cpu).Block(kSleep);
      if (!holds) talk.At(at_ns + 138_us, other_cpu).WakeFromNet(21 - number, talk.eth());
      talk.At(at_ns + 140_us, other_cpu).Run(21 - number);
    }
  }
  const Timeline& timeline = talk.Load();
  const FoundRequests found = talk.Find({.ports = {testing::kServerPort}});
  const RequestWalk walk(timeline, found);
  std::map<std::string, uint32_t> of_name;
  std::vector<uint32_t> vertices;
  for (const Entity& entity : timeline.entities())
    vertices.push_back(
        of_name.try_emplace(entity.name, static_cast<uint32_t>(of_name.size())).first->second);
  worker = of_name.at("worker");
  const StackSums stacks;
  const Code code;
  return TokensOfRequests({timeline, found, walk, vertices, stacks, code});
}

TEST(TokenPermits, AreHeldFromBeforeTheQuestionUntilBehindTheAnswer) {
  uint32_t worker = 0;
  const auto model = TokensOfJobs(/*holds=*/true, worker);
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->population, 2u);
  const TokenRates rates = PlayTokens(*model, 4000);
  EXPECT_NEAR(rates.rate / model->recorded_rate, 1, 0.1);
  EXPECT_NEAR(rates.response_ns, 100'000, 10'000);
  // More workers stand in the same line.
  const auto more = ChangedTokens(*model, {.added_threads = {{worker, 8}}}, true);
  ASSERT_TRUE(more);
  EXPECT_NEAR(PlayTokens(*more, 4000).rate / rates.rate, 1, 0.03);
  // Without the mutex both ask all the time.
  const auto free = ChangedTokens(*model, {.waits = {{worker, worker, /*keeps_up=*/false}}}, true);
  ASSERT_TRUE(free);
  EXPECT_NEAR(PlayTokens(*free, 4000).rate / rates.rate, 2, 0.25);
}

// Clients that wait for anything else between their questions hold nothing.
TEST(TokenPermits, AreNoneWhereNoOtherClientEndsTheWait) {
  uint32_t worker = 0;
  const auto model = TokensOfJobs(/*holds=*/false, worker);
  ASSERT_TRUE(model.ok()) << model.status();
  for (const TokenSeats& seats : model->seats) EXPECT_FALSE(seats.is_lock);
}

}  // namespace
}  // namespace gordian
