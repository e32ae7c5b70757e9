// SPDX-License-Identifier: Apache-2.0
#include "views/amounts.h"

#include <gtest/gtest.h>

#include "views/test_talking.h"

namespace gordian {
namespace {

constexpr UnitLevel kLevels[] = {UnitLevel::kThread, UnitLevel::kProcess, UnitLevel::kContainer,
                                 UnitLevel::kNode, UnitLevel::kRack};

UnitAmounts SumOf(const Amounts& amounts) {
  UnitAmounts sum;
  for (const UnitAmounts& unit : amounts.units) {
    sum.times += unit.times;
    sum.threads += unit.threads;
    sum.participation += unit.participation;
    sum.traffic += unit.traffic;
  }
  return sum;
}

TEST(Amounts, OfAllUnitsAreTheWholeOnEachLevel) {
  const TalkingRecording talk;
  UnitTimes whole;
  for (EntityId id = 0; id < talk.timeline().thread_count(); ++id) {
    const Entity& thread = talk.timeline().entities()[id];
    whole += {thread.run_ns, thread.runnable_ns, thread.wait_ns, thread.spin_ns, thread.unknown_ns};
  }
  for (const UnitLevel level : kLevels) {
    const UnitAmounts sum =
        SumOf(AmountsWithin(talk.analysis(), talk.units(),
                            {.range = talk.all(), .level = level, .with_participation = true}));
    EXPECT_EQ(sum.times, whole) << NameOf(level);
    EXPECT_EQ(sum.threads, talk.timeline().thread_count()) << NameOf(level);
    EXPECT_NEAR(sum.participation, 1, 1e-9) << NameOf(level);
  }
}

TEST(Amounts, OfPartsAddUpToThoseOfTheWhole) {
  const TalkingRecording talk;
  const TimeRange all = talk.all();
  const uint64_t middle_ns = all.from_ns + 33'333'333;
  const auto of = [&](uint64_t from_ns, uint64_t to_ns) {
    return SumOf(AmountsWithin(talk.analysis(), talk.units(), {.range = {from_ns, to_ns}})).times;
  };
  UnitTimes parts = of(all.from_ns, middle_ns);
  parts += of(middle_ns, all.to_ns);
  EXPECT_EQ(parts, of(all.from_ns, all.to_ns));
}

TEST(Amounts, TellWhatEachProcessDid) {
  const TalkingRecording talk;
  const uint64_t from_ns = talk.all().from_ns + TalkingRecording::kRoundNs;
  const Amounts amounts = AmountsWithin(talk.analysis(), talk.units(),
                                        {.range = {from_ns, from_ns + TalkingRecording::kRoundNs}});
  const UnitAmounts& front = amounts.units[talk.Process("front")];
  const UnitAmounts& store = amounts.units[talk.Process("store")];
  EXPECT_EQ(front.times.run_ns, 6'000'000u);
  EXPECT_EQ(front.times.wait_ns, 4'000'000u);
  EXPECT_EQ(front.threads, 1u);
  EXPECT_EQ(store.times.run_ns, 2'500'000u) << "2 ms, and half of one of its worker";
  EXPECT_EQ(store.threads, 2u);
}

TEST(Amounts, HaveThePacketsOfProcessesAndOfAllAboveThem) {
  const TalkingRecording talk;
  const auto traffic =
      MeasureWindowTraffic(talk.analysis().recording(), {talk.all().from_ns, talk.all().to_ns});
  ASSERT_TRUE(traffic.ok()) << traffic.status();
  for (const UnitLevel level :
       {UnitLevel::kProcess, UnitLevel::kContainer, UnitLevel::kNode, UnitLevel::kRack}) {
    Amounts amounts =
        AmountsWithin(talk.analysis(), talk.units(), {.range = talk.all(), .level = level});
    AddTraffic(*traffic, {0, 1}, talk.units(), amounts);
    const uint32_t front = UnitOfProcess(talk.units(), level, talk.Process("front"));
    EXPECT_EQ(amounts.units[front].traffic,
              (UnitTraffic{.sent_bytes = TalkingRecording::kAskedInAll,
                           .received_bytes = TalkingRecording::kAnswered * 10,
                           .sent_messages = 10,
                           .received_messages = 10}))
        << NameOf(level);
    EXPECT_EQ(SumOf(amounts).traffic.sent_bytes, traffic->traffic.total.payload_bytes);
    EXPECT_EQ(amounts.elsewhere, UnitTraffic());
  }
}

TEST(Amounts, AtTheLevelOfThreadsPacketsBelongToNoUnit) {
  const TalkingRecording talk;
  const auto traffic =
      MeasureWindowTraffic(talk.analysis().recording(), {talk.all().from_ns, talk.all().to_ns});
  ASSERT_TRUE(traffic.ok()) << traffic.status();
  Amounts amounts = AmountsWithin(talk.analysis(), talk.units(),
                                  {.range = talk.all(), .level = UnitLevel::kThread});
  AddTraffic(*traffic, {0, 1}, talk.units(), amounts);
  EXPECT_EQ(SumOf(amounts).traffic, UnitTraffic());
  EXPECT_EQ(amounts.elsewhere.sent_bytes, traffic->traffic.total.payload_bytes);
}

TEST(UnitNumbers, PutProcessesWithoutContainerBehindTheContainers) {
  const TalkingRecording talk;
  EXPECT_EQ(UnitCount(talk.units(), UnitLevel::kContainer), 2u) << "no container, two nodes";
  const uint32_t unit = UnitOfProcess(talk.units(), UnitLevel::kContainer, talk.Process("store"));
  EXPECT_EQ(unit, talk.Node("db"));
  EXPECT_EQ(UnitName(talk.units(), UnitLevel::kContainer, unit, talk.timeline()),
            "db: outside of containers");
  EXPECT_EQ(UnitName(talk.units(), UnitLevel::kProcess, talk.Process("store"), talk.timeline()),
            "db: store/20");
}

}  // namespace
}  // namespace gordian
