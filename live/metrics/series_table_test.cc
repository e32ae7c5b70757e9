// SPDX-License-Identifier: Apache-2.0
#include "live/metrics/series_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::Pair;
using ::testing::SizeIs;
using Lifetime = SeriesTable::Lifetime;

TEST(SeriesTable, AGaugeTellsOnlyTheLastFrame) {
  SeriesTable table(1, 5, Lifetime::kFrame);
  table.Begin(1);
  table.Add({"a"}, 3);
  table.AddOther(1);
  table.Begin(2);
  table.Add({"b"}, 4);
  EXPECT_THAT(table.Samples(), ElementsAre(Pair(ElementsAre("b"), 4)));
  table.Begin(3);
  EXPECT_THAT(table.Samples(), IsEmpty());
}

TEST(SeriesTable, ACounterKeepsWhatIsNotInTheFrame) {
  SeriesTable table(1, 5, Lifetime::kGrowing);
  table.Begin(1);
  table.Add({"a"}, 3);
  table.Begin(2);
  table.Add({"b"}, 4);
  table.Begin(3);
  table.Add({"a"}, 2);
  EXPECT_THAT(table.Samples(), ElementsAre(Pair(ElementsAre("a"), 5), Pair(ElementsAre("b"), 4)));
}

TEST(SeriesTable, NamesBeyondThePlacesCountAsOther) {
  SeriesTable table(2, 1, Lifetime::kGrowing);
  table.Begin(1);
  table.Add({"a", "b"}, 3);
  table.Add({"c", "d"}, 4);
  table.Add({"other", "other"}, 1);
  EXPECT_THAT(table.Samples(),
              ElementsAre(Pair(ElementsAre("a", "b"), 3), Pair(ElementsAre("other", "other"), 5)));
}

TEST(SeriesTable, NamesThatAreTheSameOnceTheyAreShortAreAddedUp) {
  SeriesTable table(1, 5, Lifetime::kFrame);
  table.Begin(1);
  table.Add({std::string(1000, 'x') + "1"}, 1);
  table.Add({std::string(1000, 'x') + "2"}, 2);
  const auto samples = table.Samples();
  ASSERT_THAT(samples, SizeIs(1));
  EXPECT_THAT(samples.begin()->first[0], SizeIs(Le(256)));
  EXPECT_EQ(samples.begin()->second, 3);
}

TEST(SeriesTable, AHundredNamesASecondGetNoMoreThanTheirPlacesInAnyHour) {
  for (const Lifetime lifetime : {Lifetime::kFrame, Lifetime::kGrowing}) {
    SeriesTable table(1, 20, lifetime);
    SeriesTable::Labels given;
    for (int second = 0; second < 3600; ++second) {
      table.Begin(second);
      for (int i = 0; i < 100; ++i) table.Add({"worker-" + std::to_string(second * 100 + i)}, 1);
      for (const auto& [labels, value] : table.Samples())
        if (std::find(given.begin(), given.end(), labels[0]) == given.end())
          given.push_back(labels[0]);
    }
    EXPECT_THAT(given, SizeIs(21));
  }
}

TEST(SeriesTable, APlaceIsFreeAnHourAfterItsNameWasSeen) {
  SeriesTable table(1, 1, Lifetime::kGrowing);
  table.Begin(0);
  table.Add({"a"}, 1);
  table.Begin(3600);
  table.Add({"b"}, 1);
  EXPECT_THAT(table.Samples(),
              ElementsAre(Pair(ElementsAre("a"), 1), Pair(ElementsAre("other"), 1)));
  table.Begin(3601);
  table.Add({"b"}, 1);
  EXPECT_THAT(table.Samples(),
              ElementsAre(Pair(ElementsAre("b"), 1), Pair(ElementsAre("other"), 1)));
}

}  // namespace
}  // namespace gordian
