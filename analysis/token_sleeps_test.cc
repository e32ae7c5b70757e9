// SPDX-License-Identifier: Apache-2.0
#include "analysis/token_sleeps.h"

#include <gtest/gtest.h>

namespace gordian {
namespace {

constexpr uint32_t kWorkers = 1;

// 800 requests that eight clients ask of two workers. Each sleeps for a millisecond, but of a
// quarter that is not told.
TokenModel Workers() {
  TokenModel model;
  model.nodes = {{.all = 2, .cpus = 2}};
  model.seats = {{.vertex = kWorkers, .count = 2}};
  model.population = 8;
  for (int request = 0; request < 800; ++request) {
    model.steps.push_back({.deed = TokenDeed::kAsk});
    model.steps.push_back({.deed = TokenDeed::kTake, .place = 0, .who = kWorkers});
    model.steps.push_back({.deed = TokenDeed::kPause,
                           .pause = TokenPause::kTimer,
                           .who = kWorkers,
                           .ns = request % 4 == 0 ? 0 : 1e6});
    model.steps.push_back({.deed = TokenDeed::kAnswer});
    model.steps.push_back({.deed = TokenDeed::kGive, .place = 0, .who = kWorkers});
    model.EndRequest();
  }
  return model;
}

TEST(TokenSleeps, KeepAStationAsBusyAsItWas) {
  TokenModel model = Workers();
  EXPECT_GT(PlayTokens(model, 4000).rate, 2500);
  LengthenSleeps(model, kWorkers, 800 * 1e6);
  EXPECT_NEAR(PlayTokens(model, 4000).rate, 2000, 40);
}

TEST(TokenSleeps, AreNotMadeUpOfFew) {
  TokenModel model = Workers();
  const double rate = PlayTokens(model, 4000).rate;
  LengthenSleeps(model, kWorkers, 2000 * 1e6);
  EXPECT_EQ(PlayTokens(model, 4000).rate, rate);
  LengthenSleeps(model, kWorkers, 100 * 1e6);  // … nor shortened
  EXPECT_EQ(PlayTokens(model, 4000).rate, rate);
  LengthenSleeps(model, kWorkers + 1, 800 * 1e6);
  EXPECT_EQ(PlayTokens(model, 4000).rate, rate);
}

}  // namespace
}  // namespace gordian
