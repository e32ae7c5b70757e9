// SPDX-License-Identifier: Apache-2.0
#include "views/trend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "views/test_talking.h"

namespace gordian {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr auto kCpu = static_cast<size_t>(TrendMeasure::kCpuNs);
constexpr auto kWait = static_cast<size_t>(TrendMeasure::kWaitNs);
constexpr auto kSent = static_cast<size_t>(TrendMeasure::kSentBytes);
constexpr auto kMessages = static_cast<size_t>(TrendMeasure::kSentMessages);

std::vector<TrendWindow> RoundsOf(const TalkingRecording& talk) {
  auto windows = TrendWindowsOf(talk.all(), TalkingRecording::kRoundNs);
  EXPECT_TRUE(windows.ok()) << windows.status();
  return *std::move(windows);
}

WindowTraffic TrafficOf(const TalkingRecording& talk, const std::vector<TrendWindow>& windows) {
  std::vector<uint64_t> borders_ns = {windows.front().from_ns};
  for (const TrendWindow& window : windows) borders_ns.push_back(window.to_ns);
  auto traffic = MeasureWindowTraffic(talk.analysis().recording(), borders_ns);
  EXPECT_TRUE(traffic.ok()) << traffic.status();
  return *std::move(traffic);
}

const TrendRow& RowOf(const Trend& trend, uint32_t unit) {
  for (const TrendRow& row : trend.rows)
    if (row.unit == unit) return row;
  ADD_FAILURE() << "no row of unit " << unit;
  std::abort();
}

uint64_t Sum(const std::vector<uint64_t>& values) {
  return std::accumulate(values.begin(), values.end(), uint64_t{0});
}

TEST(Trend, TheWindowsOfAUnitAreItsAmounts) {
  const TalkingRecording talk;
  const auto windows = RoundsOf(talk);
  for (const UnitLevel level : {UnitLevel::kThread, UnitLevel::kProcess, UnitLevel::kNode}) {
    const Trend trend =
        TrendOf(talk.analysis(), talk.units(), {.windows = windows, .level = level, .only = {}});
    const Amounts amounts =
        AmountsWithin(talk.analysis(), talk.units(), {.range = talk.all(), .level = level});
    ASSERT_EQ(trend.rows.size(), amounts.units.size());
    for (const TrendRow& row : trend.rows) {
      EXPECT_EQ(Sum(row.values[kCpu]), amounts.units[row.unit].times.cpu_ns());
      EXPECT_EQ(Sum(row.values[kWait]), amounts.units[row.unit].times.wait_ns);
    }
  }
}

TEST(Trend, EachWindowHoldsWhatHappenedInIt) {
  const TalkingRecording talk;
  const auto windows = RoundsOf(talk);
  ASSERT_EQ(windows.size(), static_cast<size_t>(TalkingRecording::kRounds));
  const Trend trend = TrendOf(talk.analysis(), talk.units(), {.windows = windows, .only = {}});
  const TrendRow& front = RowOf(trend, talk.Process("front"));
  for (size_t i = 1; i + 1 < windows.size(); ++i) {
    EXPECT_EQ(front.values[kCpu][i], 6'000'000u) << i;
    EXPECT_EQ(front.values[kWait][i], 4'000'000u) << i;
  }
}

TEST(Trend, MarksTheRoundThatSentTenTimesAsMuch) {
  const TalkingRecording talk;
  const auto windows = RoundsOf(talk);
  const WindowTraffic traffic = TrafficOf(talk, windows);
  const Trend trend =
      TrendOf(talk.analysis(), talk.units(), {.windows = windows, .only = {}, .traffic = &traffic});
  const TrendRow& front = RowOf(trend, talk.Process("front"));
  EXPECT_EQ(Sum(front.values[kSent]), TalkingRecording::kAskedInAll);
  EXPECT_EQ(Sum(front.values[kMessages]), 10u);
  EXPECT_EQ(front.outliers[kSent].median, TalkingRecording::kAsked);
  EXPECT_THAT(front.outliers[kSent].indices, ElementsAre(TalkingRecording::kLoudRound));
  EXPECT_THAT(front.outliers[kMessages].indices, IsEmpty());
}

TEST(Trend, UnitsBeyondTheBoundAreOneRowAndNothingIsLost) {
  const TalkingRecording talk;
  const auto windows = RoundsOf(talk);
  const Trend all = TrendOf(talk.analysis(), talk.units(),
                            {.windows = windows, .level = UnitLevel::kThread, .only = {}});
  const Trend one =
      TrendOf(talk.analysis(), talk.units(),
              {.windows = windows, .level = UnitLevel::kThread, .only = {}, .most_units = 1});
  ASSERT_EQ(one.rows.size(), 2u);
  EXPECT_EQ(one.rows[1].unit, kNoUnit);
  EXPECT_EQ(one.others, all.rows.size() - 1);
  uint64_t sum = 0;
  for (const TrendRow& row : all.rows) sum += Sum(row.values[kCpu]);
  EXPECT_EQ(Sum(one.rows[0].values[kCpu]) + Sum(one.rows[1].values[kCpu]), sum);
}

TEST(Trend, TellsOnlyTheUnitsThatAreAskedFor) {
  const TalkingRecording talk;
  const auto windows = RoundsOf(talk);
  const uint32_t store = talk.Process("store");
  const Trend trend =
      TrendOf(talk.analysis(), talk.units(), {.windows = windows, .only = {store, store, 9999}});
  ASSERT_EQ(trend.rows.size(), 1u);
  EXPECT_EQ(trend.rows[0].unit, store);
  EXPECT_EQ(trend.others, 0u);
}

TEST(TrendWindows, AreRoundAndAtMostTwoHundredUnlessTold) {
  const auto windows = TrendWindowsOf({1'000, 1'000 + 3'000'000'000}, 0);
  ASSERT_TRUE(windows.ok());
  EXPECT_EQ(windows->size(), 150u);
  EXPECT_EQ(windows->front().to_ns - windows->front().from_ns, 20'000'000u);
  EXPECT_EQ(windows->back().to_ns, 3'000'001'000u);
  EXPECT_TRUE(absl::IsInvalidArgument(TrendWindowsOf({0, 3'000'000'000}, 1).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(TrendWindowsOf({5, 5}, 0).status()));
  EXPECT_EQ(TrendWindowsOf({0, UINT64_MAX}, UINT64_MAX)->size(), 1u);
}

TEST(TrendWindows, OfAPhaseAreItsTurns) {
  const TalkingRecording talk;
  const RecordedPhases phases = ReadThreadPhases(talk.analysis().recording());
  EXPECT_THAT(TrendPhaseNames(phases), ElementsAre("round"));
  const auto windows = TrendWindowsOfPhase(phases, "round", talk.all());
  ASSERT_TRUE(windows.ok()) << windows.status();
  ASSERT_EQ(windows->size(), static_cast<size_t>(TalkingRecording::kRounds));
  EXPECT_EQ((*windows)[2].label, "round 3");
  EXPECT_EQ((*windows)[2].from_ns, talk.all().from_ns + 2 * TalkingRecording::kRoundNs);
  EXPECT_TRUE(absl::IsNotFound(TrendWindowsOfPhase(phases, "Round", talk.all()).status()));
}

RecordedPhases PhasesOf(std::vector<ThreadPhase> whole, std::vector<std::string> names) {
  RecordedPhases phases;
  phases.whole = std::move(whole);
  phases.names = std::move(names);
  return phases;
}

TEST(TrendWindows, OfNumberedPhasesLastUntilTheNextBegins) {
  const RecordedPhases phases =
      PhasesOf({{0, 10, 20, 1}, {0, 20, 35, 2}, {1, 12, 24, 1}, {1, 25, 40, 2}},
               {"", "superstep 1", "superstep 2"});
  const auto windows = TrendWindowsOfPhase(phases, "superstep", {0, 100});
  ASSERT_TRUE(windows.ok()) << windows.status();
  EXPECT_THAT(*windows,
              ElementsAre(TrendWindow{10, 20, "superstep 1"}, TrendWindow{20, 40, "superstep 2"}))
      << "thread 1 was in the first until 24";
}

}  // namespace
}  // namespace gordian
