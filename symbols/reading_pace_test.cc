// SPDX-License-Identifier: Apache-2.0
#include "symbols/reading_pace.h"

#include <gtest/gtest.h>

#include <random>

namespace gordian {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kMostNs = 20 * kMs;

TEST(ReadingPace, LeavesAllAtFirst) {
  ReadingPace pace(kMostNs);
  EXPECT_EQ(pace.LeftNs(0), kMostNs);
  EXPECT_EQ(pace.PauseNs(0), 0);
}

TEST(ReadingPace, GivesBackWhatWasSpentASecondAgo) {
  ReadingPace pace(kMostNs);
  pace.Spend(kMostNs, 100 * kMs);
  EXPECT_EQ(pace.LeftNs(100 * kMs), 0);
  EXPECT_EQ(pace.PauseNs(100 * kMs), 1000 * kMs);
  EXPECT_EQ(pace.PauseNs(400 * kMs), 700 * kMs);
  EXPECT_EQ(pace.LeftNs(1099 * kMs), 0);
  EXPECT_EQ(pace.LeftNs(1100 * kMs), kMostNs);
}

TEST(ReadingPace, WaitsForEnoughToBeWorthAStart) {
  ReadingPace pace(kMostNs);
  pace.Spend(1 * kMs, 0);
  pace.Spend(19 * kMs, 500 * kMs);
  EXPECT_EQ(pace.PauseNs(600 * kMs), 900 * kMs) << "one millisecond is too little";
}

TEST(ReadingPace, KeepsADebtUntilItIsPaid) {
  ReadingPace pace(kMostNs);
  pace.Spend(3 * kMostNs, 0);
  EXPECT_EQ(pace.LeftNs(999 * kMs), -2 * kMostNs);
  EXPECT_EQ(pace.PauseNs(0), 1000 * kMs);
}

TEST(ReadingPace, KeepsHalfForThoseWhoCannotWait) {
  ReadingPace pace(kMostNs);
  EXPECT_EQ(pace.LeftNs(0, true), kMostNs / 2);
  EXPECT_EQ(pace.PauseNs(0, true), 0);
  pace.Spend(kMostNs / 2, 0);
  EXPECT_EQ(pace.LeftNs(0, true), 0);
  EXPECT_EQ(pace.PauseNs(0, true), 1000 * kMs);
  EXPECT_EQ(pace.LeftNs(0), kMostNs / 2);
  EXPECT_EQ(pace.PauseNs(0), 0);
}

// A user of it that never takes more than is left, and waits as long as it is told.
TEST(ReadingPace, HoldsInEveryWindowOfASecond) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 100; ++round) {
    ReadingPace pace(kMostNs);
    std::vector<std::pair<int64_t, int64_t>> spent;
    int64_t total_ns = 0;
    for (int64_t now_ns = 0; now_ns < 20'000 * kMs;) {
      now_ns += pace.PauseNs(now_ns) + static_cast<int64_t>(random() % (5 * kMs));
      const auto most = static_cast<uint64_t>(std::max<int64_t>(1, pace.LeftNs(now_ns)));
      const auto cpu_ns = static_cast<int64_t>(random() % most);
      now_ns += cpu_ns;
      pace.Spend(cpu_ns, now_ns);
      spent.emplace_back(now_ns, cpu_ns);
      total_ns += cpu_ns;
    }
    for (size_t first = 0; first < spent.size(); ++first) {
      int64_t sum_ns = 0;
      for (size_t i = first; i < spent.size(); ++i) {
        if (spent[i].first >= spent[first].first + ReadingPace::kWindowNs) break;
        sum_ns += spent[i].second;
      }
      ASSERT_LE(sum_ns, kMostNs);
    }
    EXPECT_GT(total_ns, 20 * kMostNs / 2) << "most of it is used";
  }
}

}  // namespace
}  // namespace gordian
