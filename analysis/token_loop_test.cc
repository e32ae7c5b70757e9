// SPDX-License-Identifier: Apache-2.0
#include "analysis/token_loop.h"

#include <gtest/gtest.h>

#include <random>

namespace gordian {
namespace {

// Four lines; answers take 1 to 3 ms.
template <typename PauseOf>
std::vector<std::vector<AnswerAndPause>> LinesWith(size_t answers, PauseOf pause_of) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> response_ns(1e6, 3e6);
  std::vector<std::vector<AnswerAndPause>> lines(4);
  for (size_t i = 0; i < answers; ++i) {
    const double took_ns = response_ns(random);
    lines[i % 4].push_back({took_ns, pause_of(took_ns, random)});
  }
  return lines;
}

TEST(TokenLoop, IsClosedIfClientsThinkBehindEachAnswer) {
  EXPECT_TRUE(PausesAreTheClientsOwn(LinesWith(2000, [](double, std::mt19937_64& random) {
    return std::exponential_distribution<double>(1 / 2e6)(random);
  })));
}

TEST(TokenLoop, IsOpenIfQuestionsComeByTheClock) {
  EXPECT_FALSE(PausesAreTheClientsOwn(LinesWith(2000, [](double took_ns, std::mt19937_64& random) {
    return 5e6 - took_ns + std::uniform_real_distribution<double>(0, 1e6)(random);
  })));
}

TEST(TokenLoop, IsNotToldByAFewPausesOrByAnswersThatTakeEquallyLong) {
  const auto think = [](double, std::mt19937_64& random) {
    return std::exponential_distribution<double>(1 / 2e6)(random);
  };
  EXPECT_FALSE(PausesAreTheClientsOwn(LinesWith(80, think)));
  auto lines = LinesWith(2000, think);
  for (std::vector<AnswerAndPause>& line : lines)
    for (AnswerAndPause& one : line) one.response_ns = 2e6 + 1e-3 * (one.response_ns - 2e6);
  EXPECT_FALSE(PausesAreTheClientsOwn(lines));
  EXPECT_FALSE(PausesAreTheClientsOwn({}));
}

TEST(TokenLoop, IsNotJudgedByASingleLongAnswer) {
  auto lines = LinesWith(2000, [](double, std::mt19937_64& random) {
    return std::exponential_distribution<double>(1 / 2e6)(random);
  });
  lines[0].push_back({1e9, 0});
  EXPECT_TRUE(PausesAreTheClientsOwn(lines));
}

}  // namespace
}  // namespace gordian
