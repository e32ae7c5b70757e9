// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>

#include "whatif/history/history.h"

namespace gordian {
namespace {

pb::PredictionScore SomeScore() {
  pb::PredictionScore score;
  score.set_version(1);
  score.set_time("2026-11-27T11:30:00Z");
  score.set_before("runs/before");
  score.set_after("runs/after");
  score.set_change("8 times as many requests of \"asker\" under way");
  score.set_progress("requests of port 80");
  score.set_low(7.7);
  score.set_expected(7.9);
  score.set_high(8.1);
  score.set_by_requests(true);
  score.set_measured(8.3);
  score.set_noise(0.02);
  return score;
}

TEST(HistoryLine, IsReadAsItWasWritten) {
  const std::string line = LineOfScore(SomeScore());
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const auto back = ScoreOfLine(line);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->SerializeAsString(), SomeScore().SerializeAsString());
}

TEST(HistoryLine, IsRefusedIfItIsNoScore) {
  for (const char* line : {"", "{", "[]", "7", "{}", R"({"version":1})",
                           R"({"version":2,"low":1,"expected":1,"high":1,"measured":1})",
                           R"({"version":1,"low":2,"expected":1,"high":1,"measured":1})",
                           R"({"version":1,"low":1,"expected":1,"high":1,"measured":-1})",
                           R"({"version":1,"low":1,"expected":1,"high":1,"measured":1e300})",
                           R"({"version":1,"low":"1","expected":1,"high":1,"measured":1})"})
    EXPECT_FALSE(ScoreOfLine(line).ok()) << line;
  EXPECT_FALSE(ScoreOfLine(std::string(7000, '[')).ok());
  EXPECT_FALSE(ScoreOfLine(LineOfScore(SomeScore()) + std::string(100'000, ' ')).ok());
}

TEST(HistoryLine, MayHoldFieldsOfLaterVersions) {
  std::string line = LineOfScore(SomeScore());
  line.insert(1, R"("weather":["rain"],)");
  EXPECT_TRUE(ScoreOfLine(line).ok());
}

TEST(HistoryLine, HoldsNoForgedText) {
  pb::PredictionScore score = SomeScore();
  score.set_change("a\nb\x1b[31m");
  score.set_before(std::string(100'000, 'a'));
  score.set_noise(std::numeric_limits<double>::infinity());
  const auto back = ScoreOfLine(LineOfScore(score));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->change().find('\n'), std::string::npos);
  EXPECT_EQ(back->change().find('\x1b'), std::string::npos);
  EXPECT_LT(back->before().size(), 2000u);
  const auto forged = ScoreOfLine(
      R"({"version":1,"low":1,"expected":1,"high":1,"measured":1,"change":"\u001b[31mred\u0007"})");
  ASSERT_TRUE(forged.ok());
  EXPECT_EQ(forged->change().find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace gordian
