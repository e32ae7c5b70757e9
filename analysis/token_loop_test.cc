// SPDX-License-Identifier: Apache-2.0
#include "analysis/token_loop.h"

#include <gtest/gtest.h>

#include <random>

#include "requests/test_talk.h"
#include "tests/support/time_literals.h"

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

// A client waits from 20 µs on; the server wakes it at 100 µs. It looks at what came, and waits
// again until its timer, or another program, ends that at 200 µs.
OwnTime OwnTimeIfWokenLastBy(int32_t tid) {
  using namespace testing;  // NOLINT: literals of time
  testing::TestTalk talk;
  talk.trace().Thread(20, "client").Thread(10, "server").Thread(30, "other");
  talk.At(0, 1).Run(20);
  talk.At(1_us, 0).Run(10);
  talk.At(20_us, 1).Block(testing::kSleep);
  talk.At(100_us, 0).Wake(20);
  talk.At(100_us, 1).Run(20);
  talk.At(120_us, 1).Block(testing::kSleep);
  if (tid != 10) {
    talk.At(150_us, 0).Block(testing::kSleep);
    talk.At(151_us, 0).Run(tid);
  }
  talk.At(200_us, 0).Wake(20);
  talk.At(200_us, 1).Run(20);
  talk.At(240_us, 1).Block(testing::kSleep);
  const Timeline& timeline = talk.Load();
  const Entity& server = timeline.entities()[talk.Id("server")];
  return OwnTimeBetween(timeline, talk.Id("client"), testing::TestTalk::Time(20_us),
                        testing::TestTalk::Time(220_us), {{server.node, server.tgid}});
}

TEST(TokenLoop, IsClosedIfClientsWaitForMoreOfTheServerBehindItsAnswer) {
  const OwnTime own = OwnTimeIfWokenLastBy(10);
  EXPECT_NEAR(static_cast<double>(own.served_ns), 160'000, 2'000);
  EXPECT_NEAR(static_cast<double>(own.awake_ns), 40'000, 2'000);
}

TEST(TokenLoop, IsOpenIfTheQuestionCameForAnotherReason) {
  EXPECT_EQ(OwnTimeIfWokenLastBy(30).served_ns, 0u);
}

}  // namespace
}  // namespace gordian
