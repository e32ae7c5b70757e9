// SPDX-License-Identifier: Apache-2.0
// Event loops whose timers let requests through one after the other.
#include "analysis/token_pace.h"

#include <gtest/gtest.h>

#include <deque>
#include <set>
#include <vector>

#include "tests/support/time_literals.h"

namespace gordian {
namespace {

using namespace testing;  // NOLINT: literals of time

constexpr uint32_t kPacer = 0, kPaced = 1;

// Requests that all came at the same time and leave the loop's timer at those times.
class PacedLoopTest : public ::testing::Test {
 protected:
  void Leave(uint64_t to_ns, RequestStepKind kind = RequestStepKind::kTimer) {
    requests_.push_back({.thread = kPacer, .client = kPaced});
    const RequestStep step = {
        .from_ns = 0, .to_ns = to_ns, .kind = kind, .thread = kPacer, .for_events = true};
    turns_.turns.push_back({.request = &requests_.back(), .way = {step}});
  }
  std::vector<PacedLoop> Find() const {
    return PacedLoops(turns_, std::vector{kPacer, kPaced}, loops_);
  }

  std::set<uint32_t> loops_ = {kPacer};
  TokenTurns turns_;

 private:
  std::deque<Request> requests_;
};

TEST_F(PacedLoopTest, LetsRequestsThroughInEvenSteps) {
  for (uint64_t i = 1; i <= 100; ++i) Leave(i * 3_ms + i % 3 * 300_us);
  const std::vector<PacedLoop> loops = Find();
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_EQ(loops[0].vertex, kPacer);
  EXPECT_NEAR(loops[0].busy_ns, 300e6, 1e6);
}

// Each has a time of its own to wait, or many wait for the same.
TEST_F(PacedLoopTest, IsNoneFromWhichRequestsLeaveAsTheyCame) {
  uint64_t left_ns = 0;
  for (uint64_t i = 1; i <= 100; ++i) Leave(left_ns += 100_us * (i * i * 7919 % 61));
  EXPECT_TRUE(Find().empty());
}

TEST_F(PacedLoopTest, IsNoneThatFewRequestsWaitFor) {
  for (uint64_t i = 1; i <= 100; ++i) Leave(i * 3_ms);
  for (uint64_t i = 1; i <= 150; ++i) Leave(i * 3_ms, RequestStepKind::kRun);
  EXPECT_TRUE(Find().empty());
}

TEST_F(PacedLoopTest, IsNoThreadThatServesOneAtATime) {
  loops_.clear();
  for (uint64_t i = 1; i <= 100; ++i) Leave(i * 3_ms);
  EXPECT_TRUE(Find().empty());
}

// Sixteen clients, and one of them goes through each 3 ms, whatever else it was seen to sleep. At
// ten times that pace there is one each 0.3 ms.
TEST(WithPace, LimitsTheRate) {
  TokenModel model;
  model.population = 16;
  model.nodes = {{.all = 2, .cpus = 2}};
  model.seats = {{.vertex = kPacer, .count = 1}};
  for (int i = 0; i < 200; ++i) {
    model.steps.push_back({.deed = TokenDeed::kAsk});
    model.steps.push_back(
        {.deed = TokenDeed::kPause, .pause = TokenPause::kTimer, .who = kPacer, .ns = 48e6});
    model.steps.push_back({.deed = TokenDeed::kTake, .place = 0});
    model.steps.push_back({.deed = TokenDeed::kRun, .who = kPacer, .ns = 1e4});
    model.steps.push_back({.deed = TokenDeed::kGive, .place = 0});
    model.steps.push_back({.deed = TokenDeed::kAnswer});
    model.EndRequest();
  }
  const TokenModel paced = WithPace(model, kPacer, 3e6);
  const TokenRates rates = PlayTokens(paced, 2000);
  EXPECT_NEAR(rates.rate, 333, 4);
  EXPECT_NEAR(rates.response_ns, 48e6, 1e6);
  const auto faster = ChangedTokens(paced, {.timers = {{kPacer, 0.1}}}, /*with_path=*/true);
  ASSERT_TRUE(faster);
  EXPECT_NEAR(PlayTokens(*faster, 2000).rate, 3333, 40);
}

}  // namespace
}  // namespace gordian
