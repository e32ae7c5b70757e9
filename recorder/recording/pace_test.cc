// SPDX-License-Identifier: Apache-2.0
// When a recording with a budget pauses: on a clock of the test's own.
#include "recorder/recording/pace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <vector>

namespace gordian {
namespace {

constexpr uint64_t kSecondNs = 1'000'000'000;
constexpr uint64_t kRoundNs = 20'000'000;
constexpr int kCpus = 2;
constexpr double kBudget = 0.02;

struct Course {
  uint64_t recorded_ns = 0;
  uint64_t cost_ns = 0;
  std::vector<uint64_t> windows_ns;  // whole ones
  std::vector<uint64_t> pauses_ns;   // likewise
  double dearest = 0;                // ten seconds, as a share of all CPUs
};

// Lets it run for that long; recording costs `share_at` of all CPUs' time, pausing nothing.
Course CourseOf(uint64_t length_ns, const std::function<double(uint64_t now_ns)>& share_at,
                uint64_t start_cost_ns = 0) {
  const uint64_t start_ns = 17 * kSecondNs;
  Pace pace(CostLedger(kBudget, kCpus, start_ns, start_cost_ns), start_ns);
  Course course;
  std::deque<uint64_t> lately_ns = {start_cost_ns};
  uint64_t sum_ns = start_cost_ns;
  bool records = true;
  uint64_t since_ns = start_ns;
  for (uint64_t now_ns = start_ns + kRoundNs; now_ns <= start_ns + length_ns; now_ns += kRoundNs) {
    const double share = records ? share_at(now_ns - start_ns) : 0;
    const auto cost_ns = static_cast<uint64_t>(share * kCpus * kRoundNs);
    course.cost_ns += cost_ns;
    if (records) course.recorded_ns += kRoundNs;
    lately_ns.push_back(cost_ns);
    sum_ns += cost_ns;
    if (lately_ns.size() > 10 * kSecondNs / kRoundNs) {
      sum_ns -= lately_ns.front();
      lately_ns.pop_front();
    }
    course.dearest =
        std::max(course.dearest, static_cast<double>(sum_ns) / (10.0 * kSecondNs * kCpus));
    const bool goes_on = pace.Records(now_ns, cost_ns);
    if (goes_on == records) continue;
    (records ? course.windows_ns : course.pauses_ns).push_back(now_ns - since_ns);
    since_ns = now_ns;
    records = goes_on;
  }
  return course;
}

double ShareOfCpus(const Course& course, uint64_t length_ns) {
  return static_cast<double>(course.cost_ns) / static_cast<double>(length_ns * kCpus);
}

TEST(Pace, WhatIsCheapEnoughIsRecordedWhole) {
  const Course course = CourseOf(1000 * kSecondNs, [](uint64_t) { return 0.0155; });
  EXPECT_TRUE(course.windows_ns.empty());
}

TEST(Pace, WhatIsDearTakesItsBudgetAndNoMore) {
  for (const double share : {0.025, 0.04, 0.08, 0.2, 0.35}) {
    constexpr uint64_t kLengthNs = 300 * kSecondNs;
    const Course course = CourseOf(kLengthNs, [&](uint64_t) { return share; });
    EXPECT_LE(ShareOfCpus(course, kLengthNs), kBudget) << share;
    EXPECT_GE(ShareOfCpus(course, kLengthNs), kBudget * 0.7) << share;
    EXPECT_NEAR(static_cast<double>(course.recorded_ns) / kLengthNs, 0.8 * kBudget / share, 0.06);
  }
}

TEST(Pace, WindowsAreLongEnoughToSeeSomethingInAndPausesAreWorthTheirWhile) {
  const Course course = CourseOf(100 * kSecondNs, [](uint64_t) { return 0.1; });
  ASSERT_GT(course.windows_ns.size(), 5u);
  for (const uint64_t window_ns : course.windows_ns) EXPECT_GE(window_ns, 750'000'000u);
  for (const uint64_t pause_ns : course.pauses_ns) EXPECT_GE(pause_ns, 250'000'000u);
}

TEST(Pace, WindowsHaveNoRhythm) {
  const Course course = CourseOf(100 * kSecondNs, [](uint64_t) { return 0.1; });
  const auto [shortest, longest] =
      std::minmax_element(course.windows_ns.begin(), course.windows_ns.end());
  EXPECT_GE(*longest - *shortest, 100'000'000u);
}

TEST(Pace, ALongRecordingHasLongerWindowsAndNotTooManyPauses) {
  const Course course = CourseOf(24 * 3600 * kSecondNs, [](uint64_t) { return 0.05; });
  EXPECT_LT(course.pauses_ns.size(), 9000u);
  EXPECT_GT(course.windows_ns.back(), 3 * kSecondNs) << "as long as ten seconds' budget lasts";
  EXPECT_LE(ShareOfCpus(course, 24 * 3600 * kSecondNs), kBudget);
}

TEST(Pace, ATwentiethOfTheTimeIsRecordedWhateverItCosts) {
  const Course course = CourseOf(300 * kSecondNs, [](uint64_t) { return 0.9; });
  EXPECT_GE(course.recorded_ns, 14 * kSecondNs);
  EXPECT_LE(course.recorded_ns, 20 * kSecondNs);
}

TEST(Pace, AQuietHourIsNoExcuseForDearMinutes) {
  constexpr uint64_t kQuietNs = 3600 * kSecondNs;
  constexpr uint64_t kDearNs = 120 * kSecondNs;
  const auto share_at = [](uint64_t now_ns) { return now_ns < kQuietNs ? 0 : 0.2; };
  const Course course = CourseOf(kQuietNs + kDearNs, share_at);
  EXPECT_LE(ShareOfCpus(course, kDearNs), kBudget * 1.5);
}

TEST(Pace, NoTenSecondsCostMoreThanTheirBudget) {
  for (const double share : {0.01, 0.025, 0.05, 0.1, 0.2, 0.35}) {
    const auto steady = [&](uint64_t) { return share; };
    EXPECT_LE(CourseOf(600 * kSecondNs, steady).dearest, kBudget) << share;
    EXPECT_LE(CourseOf(24 * 3600 * kSecondNs / 10, steady).dearest, kBudget) << share;
    if (share > 0.2) continue;
    // Some seconds are dear, others cost nothing: what the next window costs cannot be known.
    const auto wild = [&](uint64_t now_ns) { return now_ns / kSecondNs % 7 < 3 ? share : 0; };
    EXPECT_LE(CourseOf(600 * kSecondNs, wild).dearest, kBudget) << share;
  }
}

TEST(Pace, TheStartIsPaidForWithHalfOfTheBudget) {
  constexpr uint64_t kTenSecondsNs = static_cast<uint64_t>(10 * kSecondNs * kCpus * kBudget);
  const auto cheap = [](uint64_t) { return 0.005; };
  const Course whole = CourseOf(60 * kSecondNs, cheap, kTenSecondsNs * 4 / 10);
  EXPECT_TRUE(whole.windows_ns.empty()) << "a cheap recording misses nothing for it";
  EXPECT_LE(whole.dearest, kBudget);

  const auto dear = [](uint64_t) { return 0.05; };
  const Course paid = CourseOf(60 * kSecondNs, dear, kTenSecondsNs * 4 / 10);
  EXPECT_LE(paid.dearest, kBudget);
  EXPECT_LE(ShareOfCpus(paid, 60 * kSecondNs) + 0.4 * kTenSecondsNs / (60.0 * kSecondNs * kCpus),
            kBudget);
}

// What begins a recording: threads' names and unwinding tables are read.
TEST(Pace, ADearFirstSecondOfACheapRecordingIsNoReasonToPause) {
  constexpr uint64_t kTenSecondsNs = static_cast<uint64_t>(10 * kSecondNs * kCpus * kBudget);
  const auto share_at = [](uint64_t now_ns) { return now_ns < kSecondNs ? 0.03 : 0.005; };
  const Course course = CourseOf(60 * kSecondNs, share_at, kTenSecondsNs * 4 / 10);
  EXPECT_TRUE(course.windows_ns.empty());
  EXPECT_LE(course.dearest, kBudget);
}

TEST(Pace, AStartThatTakesMoreThanTenSecondsHaveDoesNotStopTheRecording) {
  constexpr uint64_t kTenSecondsNs = static_cast<uint64_t>(10 * kSecondNs * kCpus * kBudget);
  const Course course = CourseOf(
      10 * kSecondNs, [](uint64_t) { return 0.005; }, 3 * kTenSecondsNs);
  EXPECT_EQ(course.recorded_ns, 10 * kSecondNs);
  const CostLedger ledger(kBudget, kCpus, 0, 3 * kTenSecondsNs);
  EXPECT_GT(ledger.start_beyond_ns(), 2 * kTenSecondsNs) << "and it can be told";
}

TEST(Pace, AShareThatShrinksHoldsFromThenOn) {
  Pace pace(CostLedger(kBudget, kCpus, 0, 0), 0);
  uint64_t now_ns = 0;
  const auto recorded_in = [&](uint64_t span_ns) {
    uint64_t recorded_ns = 0;
    bool records = true;
    for (const uint64_t until_ns = now_ns + span_ns; now_ns < until_ns;) {
      now_ns += kRoundNs;
      if (records) recorded_ns += kRoundNs;
      records = pace.Records(now_ns, records ? static_cast<uint64_t>(0.015 * kCpus * kRoundNs) : 0);
    }
    return recorded_ns;
  };
  EXPECT_EQ(recorded_in(60 * kSecondNs), 60 * kSecondNs);
  pace.SetShare(kBudget / 2);
  EXPECT_LT(recorded_in(60 * kSecondNs), 40 * kSecondNs);
  pace.SetShare(kBudget);
  recorded_in(20 * kSecondNs);
  EXPECT_EQ(recorded_in(60 * kSecondNs), 60 * kSecondNs);
}

TEST(Pace, AClockThatStandsStillDoesNoHarm) {
  Pace pace(CostLedger(kBudget, kCpus, 100, 0), 100);
  EXPECT_TRUE(pace.Records(100, 0));
  EXPECT_TRUE(pace.Records(50, 0));
}

}  // namespace
}  // namespace gordian
