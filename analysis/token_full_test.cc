// SPDX-License-Identifier: Apache-2.0
// Helpers that are never idle, and requests that stand behind them.
#include "analysis/token_full.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

#include "requests/test_talk.h"
#include "tests/support/time_literals.h"

namespace gordian {
namespace {

using testing::kSleep;
using testing::TestTalk;
using namespace testing;  // NOLINT: literals of time

constexpr int32_t kHelper = 30, kOther = 31, kLoop = 10, kAsker = 20;

// A helper of the loop's process sleeps for an answer from outside, again and again, which a thread
// of another program ends; or `idles`: the loop ends half of its sleeps.
class FullStationTest : public ::testing::Test {
 protected:
  void Play(bool idles) {
    talk_.trace().Thread(kLoop, "loop").Thread(kAsker, "asker");
    talk_.trace().Thread(kHelper, "helper").Thread(kOther, "other");
    talk_.At(0, 0).Run(kLoop);
    talk_.At(1_us, 1).Run(kHelper);
    talk_.At(2_us, 1).Block(kSleep);
    talk_.At(3_us, 2).Run(kOther);
    talk_.At(4_us, 3).Run(kAsker);
    for (uint64_t i = 1; i <= 100; ++i) {
      const bool by_loop = idles && i % 2 == 0;
      talk_.At(i * 100_us, by_loop ? 0 : 2).Wake(kHelper);
      talk_.At(i * 100_us + 1_us, 1).Run(kHelper);
      talk_.At(i * 100_us + 5_us, 1).Block(kSleep);
    }
    talk_.At(11_ms, 0);
    timeline_ = &talk_.Load();
    request_ = {.thread = talk_.Id("loop"), .client = talk_.Id("asker")};
    RequestStep step = {.from_ns = 0,
                        .to_ns = 100,
                        .kind = RequestStepKind::kBehind,
                        .cause = RequestStepKind::kThread,
                        .thread = talk_.Id("loop")};
    step.cause_thread = talk_.Id("helper");
    turns_.turns.push_back({.request = &request_, .way = {step}});
    vertices_.resize(timeline_->entities().size());
    std::iota(vertices_.begin(), vertices_.end(), 0);
  }
  std::vector<FullStation> Find() const {
    return FullStations(*timeline_, turns_, vertices_, loops_);
  }

  TestTalk talk_;
  const Timeline* timeline_ = nullptr;
  Request request_;
  std::set<uint32_t> loops_;
  TokenTurns turns_;
  std::vector<uint32_t> vertices_;
};

TEST_F(FullStationTest, IsNeverIdleWhileOthersAnswerIt) {
  Play(/*idles=*/false);
  const std::vector<FullStation> stations = Find();
  ASSERT_EQ(stations.size(), 1u);
  EXPECT_EQ(stations[0].vertex, talk_.Id("helper"));
  EXPECT_EQ(stations[0].threads, 1u);
  EXPECT_GT(stations[0].busy_ns, 10e6);
}

TEST_F(FullStationTest, IsNoneThatWaitsForWork) {
  Play(/*idles=*/true);
  EXPECT_TRUE(Find().empty());
}

TEST_F(FullStationTest, IsOfThreadsThatRequestsWaitForAlone) {
  Play(/*idles=*/false);
  vertices_[talk_.Id("other")] = vertices_[talk_.Id("helper")];
  const std::vector<FullStation> stations = Find();
  ASSERT_EQ(stations.size(), 1u);
  EXPECT_EQ(stations[0].threads, 1u);
}

// A loop works for others while it waits; no recording shows how many more.
TEST_F(FullStationTest, IsNoEventLoopButWithOneRequestAtATime) {
  Play(/*idles=*/false);
  loops_ = {talk_.Id("helper")};
  EXPECT_TRUE(Find().empty());
  turns_.port_of_server[talk_.Id("helper")] = 9000;
  turns_.open_at_once[9000] = 2;
  EXPECT_TRUE(Find().empty());
  turns_.open_at_once[9000] = 1;
  EXPECT_EQ(Find().size(), 1u);
}

TEST_F(FullStationTest, IsNoneThatRequestsHardlyWaitFor) {
  Play(/*idles=*/false);
  RequestStep run = {.from_ns = 100, .to_ns = 1000, .kind = RequestStepKind::kRun};
  turns_.turns[0].way.push_back(run);
  EXPECT_TRUE(Find().empty());
}

// Two helpers, each 10 ms for a request: 200 a second, whoever asks. What else requests were seen
// to do with them is a part of that.
TEST(WithFullStation, LimitsTheRate) {
  constexpr uint32_t kServerVertex = 1, kHelperVertex = 2;
  TokenModel model;
  model.population = 8;
  model.nodes = {{.all = 4, .cpus = 4}};
  model.seats.push_back({.vertex = kServerVertex, .count = 8});
  for (int i = 0; i < 100; ++i) {
    model.steps.push_back({.deed = TokenDeed::kAsk});
    model.steps.push_back({.deed = TokenDeed::kTake, .place = 0});
    model.steps.push_back({.deed = TokenDeed::kRun, .who = kServerVertex, .ns = 1e5});
    model.steps.push_back({.deed = TokenDeed::kPause, .who = kHelperVertex, .ns = 5e6});
    model.steps.push_back({.deed = TokenDeed::kGive, .place = 0});
    model.steps.push_back({.deed = TokenDeed::kAnswer});
    model.EndRequest();
  }
  const FullStation station = {.vertex = kHelperVertex, .threads = 2, .busy_ns = 2e9};
  const TokenModel full = WithFullStation(model, station, 10e6);
  EXPECT_NEAR(PlayTokens(full, 2000).rate, 200, 2);
  TokenModel alone = full;
  alone.population = 1;
  EXPECT_NEAR(PlayTokens(alone, 2000).response_ns, 10.1e6, 1e5);
  // Twice as many clients wait in the same line. With four times as much under way it is no limit.
  const auto rate_with = [&](uint32_t vertex, uint32_t times, bool threads) {
    TokenModel asked = full;
    asked.askers = {kServerVertex + 10};
    const auto changed =
        ChangedTokens(asked, {.more_at_once = {{vertex, times, threads, {}}}}, true);
    return changed ? PlayTokens(*changed, 2000).rate : 0;
  };
  EXPECT_NEAR(rate_with(kServerVertex + 10, 2, true), 200, 2);
  EXPECT_NEAR(rate_with(kHelperVertex, 4, false), 8e9 / 10.1e6, 10);
}

// A pool's thread that sleeps until the station hands it the next job stands in its line: two of
// them let 200 a second through, whatever that thread slept.
TEST(WithFullStation, HoldsWhoSleepsUntilItGoesOn) {
  constexpr uint32_t kPoolVertex = 1, kAcceptorVertex = 2;
  TokenModel model;
  model.population = 8;
  model.nodes = {{.all = 4, .cpus = 4}};
  for (int i = 0; i < 100; ++i) {
    model.steps.push_back({.deed = TokenDeed::kAsk});
    model.steps.push_back({.deed = TokenDeed::kPause,
                           .pause = TokenPause::kTimer,
                           .who = kPoolVertex,
                           .whom = kAcceptorVertex,
                           .ns = 70e6});
    model.steps.push_back({.deed = TokenDeed::kAnswer});
    model.EndRequest();
  }
  const FullStation station = {.vertex = kAcceptorVertex, .threads = 2, .busy_ns = 2e9};
  const TokenModel full = WithFullStation(model, station, 10e6);
  EXPECT_NEAR(PlayTokens(full, 2000).rate, 200, 2);
}

// Of its 10 ms 8 are a sleep between two looks. Without it there are 500 a second of each.
TEST(WithFullStation, SleepsForItsPartOfTheTime) {
  constexpr uint32_t kPollerVertex = 2;
  TokenModel model;
  model.population = 8;
  model.nodes = {{.all = 4, .cpus = 4}};
  for (int i = 0; i < 100; ++i) {
    model.steps.push_back({.deed = TokenDeed::kAsk});
    model.steps.push_back({.deed = TokenDeed::kAnswer});
    model.EndRequest();
  }
  const FullStation station = {
      .vertex = kPollerVertex, .threads = 1, .busy_ns = 1e9, .slept_ns = 8e8};
  const TokenModel full = WithFullStation(model, station, 10e6);
  EXPECT_NEAR(PlayTokens(full, 2000).rate, 100, 1);
  const auto changed = ChangedTokens(full, {.timers = {{kPollerVertex, 0}}}, true);
  ASSERT_TRUE(changed);
  EXPECT_NEAR(PlayTokens(*changed, 2000).rate, 500, 5);
}

}  // namespace
}  // namespace gordian
