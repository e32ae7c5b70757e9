// SPDX-License-Identifier: Apache-2.0
#include "views/window_traffic.h"

#include <gtest/gtest.h>

#include "analysis/recorded_traffic.h"
#include "views/test_talking.h"

namespace gordian {
namespace {

// Borders at each round, and at the recording's ends.
std::vector<uint64_t> BordersOfRounds(const TalkingRecording& talk) {
  std::vector<uint64_t> borders_ns = {talk.all().from_ns};
  for (uint64_t round = 1; round < TalkingRecording::kRounds; ++round)
    borders_ns.push_back(talk.all().from_ns + round * TalkingRecording::kRoundNs);
  borders_ns.push_back(talk.all().to_ns);
  return borders_ns;
}

WindowTraffic Measured(const TalkingRecording& talk, std::vector<uint64_t> borders_ns) {
  auto traffic = MeasureWindowTraffic(talk.analysis().recording(), std::move(borders_ns));
  EXPECT_TRUE(traffic.ok()) << traffic.status();
  return traffic.ok() ? *std::move(traffic) : WindowTraffic{};
}

TrafficAmount SumBetween(const WindowTraffic& traffic, const WindowSpan& windows) {
  TrafficAmount sum;
  for (const TrafficPair& pair : traffic.traffic.pairs) sum += AmountWithin(traffic, pair, windows);
  return sum;
}

TEST(WindowTraffic, OfAllWindowsIsThatOfTheTrafficVerb) {
  const TalkingRecording talk;
  const auto told = MeasureRecordedTraffic({.directory = talk.folder()});
  ASSERT_TRUE(told.ok()) << told.status();
  const WindowTraffic traffic = Measured(talk, BordersOfRounds(talk));
  const auto all = WindowsBetween(traffic, talk.all().from_ns, talk.all().to_ns);
  ASSERT_TRUE(all.has_value());
  EXPECT_EQ(SumBetween(traffic, *all), told->total);
  EXPECT_EQ(told->total.payload_bytes, TalkingRecording::kAskedInAll +
                                           TalkingRecording::kRounds * TalkingRecording::kAnswered);
  ASSERT_EQ(traffic.traffic.pairs.size(), told->pairs.size());
  for (size_t i = 0; i < told->pairs.size(); ++i)
    EXPECT_EQ(AmountWithin(traffic, traffic.traffic.pairs[i], *all), told->pairs[i].amount);
  EXPECT_EQ(traffic.untimed_bytes, 0u);
}

TEST(WindowTraffic, CountsEachPacketInTheWindowInWhichItWasSent) {
  const TalkingRecording talk;
  const WindowTraffic traffic = Measured(talk, BordersOfRounds(talk));
  for (uint32_t round = 0; round < TalkingRecording::kRounds; ++round) {
    const uint64_t asked = round == TalkingRecording::kLoudRound ? 10 * TalkingRecording::kAsked
                                                                 : TalkingRecording::kAsked;
    EXPECT_EQ(SumBetween(traffic, {round, round + 1}).payload_bytes,
              asked + TalkingRecording::kAnswered)
        << "round " << round;
  }
}

TEST(WindowTraffic, OnlyKnowsWindowsBetweenItsBorders) {
  const TalkingRecording talk;
  const auto borders_ns = BordersOfRounds(talk);
  const WindowTraffic traffic = Measured(talk, borders_ns);
  const auto two = WindowsBetween(traffic, borders_ns[2], borders_ns[4]);
  ASSERT_TRUE(two.has_value());
  EXPECT_EQ(two->first, 2u);
  EXPECT_EQ(two->end, 4u);
  EXPECT_FALSE(WindowsBetween(traffic, borders_ns[2] + 1, borders_ns[4]).has_value());
  EXPECT_FALSE(WindowsBetween(traffic, borders_ns[2], borders_ns[4] - 1).has_value());
}

TEST(WindowTraffic, RefusesTooManyWindowsAndNone) {
  const TalkingRecording talk;
  std::vector<uint64_t> borders_ns(kMostSpans + 2);
  for (size_t i = 0; i < borders_ns.size(); ++i) borders_ns[i] = talk.all().from_ns + i;
  EXPECT_TRUE(absl::IsInvalidArgument(
      MeasureWindowTraffic(talk.analysis().recording(), borders_ns).status()));
  EXPECT_TRUE(
      absl::IsInvalidArgument(MeasureWindowTraffic(talk.analysis().recording(), {}).status()));
}

}  // namespace
}  // namespace gordian
