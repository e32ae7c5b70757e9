// SPDX-License-Identifier: Apache-2.0
// Tokens of phases that programs mark, without any packet.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "analysis/phase_requests.h"
#include "analysis/token_requests.h"
#include "requests/test_talk.h"
#include "tests/support/time_literals.h"

namespace gordian {
namespace {

using ::testing::HasSubstr;
using testing::kSleep;
using testing::TestTalk;
using namespace testing;  // NOLINT: literals of time

constexpr uint32_t kWorkers = 7;

class PhaseTalk {
 public:
  TestTalk& talk() { return talk_; }
  void Phase(int32_t tid, uint64_t from_ns, uint64_t to_ns) {
    said_.push_back({tid, {TestTalk::Time(from_ns), TestTalk::Time(to_ns)}});
  }
  absl::StatusOr<TokenModel> Tokens() {
    const Timeline& timeline = talk_.Load();
    std::vector<Request> phases;
    for (const auto& [tid, times] : said_) {
      EntityId thread = 0;
      while (timeline.entities()[thread].tid != tid) ++thread;
      phases.push_back({.thread = thread,
                        .client = thread,
                        .start_ns = times.first,
                        .received_ns = times.first,
                        .answer_ns = times.second,
                        .end_ns = times.second});
    }
    const FoundRequests found = talk_.Find();
    const RequestWalk walk(timeline, found);
    // The workers are one vertex.
    const std::vector<uint32_t> vertices(timeline.entities().size(), kWorkers);
    const StackSums stacks;
    const Code code;
    return TokensOfRequests({.timeline = timeline,
                             .found = found,
                             .walk = walk,
                             .vertex_of_entity = vertices,
                             .stacks = stacks,
                             .code = code,
                             .phases = phases,
                             .phase = "order"});
  }

 private:
  TestTalk talk_;
  std::vector<std::pair<int32_t, std::pair<uint64_t, uint64_t>>> said_;
};

// Two workers, each on its CPU, take turns at a lock: 50 µs of work, 50 µs of waiting, 100 µs with
// the lock, and the next phase.
void PlayTurns(PhaseTalk& phases, uint64_t rounds) {
  TestTalk& talk = phases.talk();
  talk.trace().Thread(10, "first").Thread(20, "second");
  talk.At(0, 0).Run(10);
  talk.At(1_us, 1).Run(20);
  for (uint64_t round = 1; round <= rounds; ++round) {
    const uint64_t at_ns = round * 200_us;
    talk.At(at_ns + 50_us, 0).Block(kSleep);
    talk.At(at_ns + 100_us, 1).Wake(10);
    talk.At(at_ns + 100_us + 1, 0).Run(10);
    talk.At(at_ns + 150_us, 1).Block(kSleep);
    talk.At(at_ns + 200_us, 0).Wake(20);
    talk.At(at_ns + 200_us + 1, 1).Run(20);
  }
  for (uint64_t round = 1; round < rounds; ++round)
    phases.Phase(10, round * 200_us, (round + 1) * 200_us);
  for (uint64_t round = 1; round < rounds; ++round)
    phases.Phase(20, round * 200_us + 100_us, (round + 1) * 200_us + 100_us);
}

TEST(TokenPhases, AreATokenForEachThreadThatMarksThem) {
  PhaseTalk phases;
  PlayTurns(phases, 400);
  const auto model = phases.Tokens();
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->service, "phase order");
  EXPECT_EQ(model->population, 2u);
  EXPECT_EQ(model->requests(), 2u * 398);  // the first one of each has no turn before it
  EXPECT_GT(model->closed_share, 0.9);
  EXPECT_NEAR(model->recorded_rate, 10'000, 100);
  EXPECT_NEAR(model->recorded_response_ns, 200'000, 100);
  const TokenRates rates = PlayTokens(*model, 2000);
  EXPECT_NEAR(rates.rate, 10'000, 300);
  EXPECT_NEAR(rates.response_ns, 200'000, 6'000);
}

TEST(TokenPhases, GainTheirWaitsForALock) {
  PhaseTalk phases;
  PlayTurns(phases, 400);
  const auto model = phases.Tokens();
  ASSERT_TRUE(model.ok()) << model.status();
  const auto gain = GainOfTokens(*model, {.waits = {{kWorkers, kWorkers, /*keeps_up=*/false}}});
  ASSERT_TRUE(gain.ok()) << gain.status();
  EXPECT_NEAR(gain->expected, 200.0 / 150, 0.05);
  // Twice the threads wait for the same lock.
  const auto more = GainOfTokens(*model, {.more_at_once = {{.vertex = kWorkers, .times = 2}}});
  EXPECT_TRUE(!more.ok() || std::abs(more->expected - 1) < 0.1);
}

TEST(TokenPhases, WithinOthersOfTheirNameAreAPartOfThese) {
  PhaseTalk phases;
  TestTalk& talk = phases.talk();
  talk.trace().Thread(10, "worker");
  talk.At(0).Run(10);
  for (uint64_t round = 0; round < 200; ++round) {
    // As they ended.
    phases.Phase(10, round * 100_us + 10_us, round * 100_us + 20_us);
    phases.Phase(10, round * 100_us, round * 100_us + 90_us);
  }
  talk.At(20'000_us).Block(kSleep);
  const auto model = phases.Tokens();
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->population, 1u);
  EXPECT_EQ(model->requests(), 199u);
  EXPECT_NEAR(model->recorded_response_ns, 90'000, 10);
}

TEST(TokenPhases, ThatCameOnceTellNoTurn) {
  PhaseTalk phases;
  phases.talk().trace().Thread(10, "worker");
  phases.talk().At(0).Run(10);
  phases.talk().At(100_us).Block(kSleep);
  phases.Phase(10, 10_us, 90_us);
  EXPECT_THAT(phases.Tokens().status().message(), HasSubstr("twice"));
}

TEST(TokenPhases, AreNamedByTheProgressThatAsksForThem) {
  EXPECT_EQ(PhaseOfProgress("phase put an order"), "put an order");
  EXPECT_EQ(PhaseOfProgress("probe done"), "");
  EXPECT_EQ(PhaseOfProgress(""), "");
}

}  // namespace
}  // namespace gordian
