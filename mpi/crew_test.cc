// SPDX-License-Identifier: Apache-2.0
#include "mpi/crew.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <set>
#include <vector>

#include "mpi/hands.h"

namespace gordian {
namespace {

// How often a rank gets another unit than the one behind its last, if ranks take turns. Each unit
// is dealt once.
size_t JumpsOf(size_t units, size_t ranks) {
  std::vector<size_t> left(units);
  std::iota(left.begin(), left.end(), size_t{0});
  std::vector<size_t> latest(ranks, SIZE_MAX);
  std::set<size_t> dealt;
  size_t jumps = 0;
  for (size_t turn = 0; !left.empty(); ++turn) {
    size_t& own = latest[turn % ranks];
    const size_t place = NextInARow(left, own);
    jumps += own == SIZE_MAX || left[place] != own + 1 ? 1 : 0;
    own = left[place];
    dealt.insert(own);
    left.erase(left.begin() + static_cast<ptrdiff_t>(place));
  }
  EXPECT_EQ(dealt.size(), units);
  return jumps;
}

TEST(CrewTest, ARankGetsUnitsInARowOneBehindTheOther) {
  EXPECT_EQ(JumpsOf(64, 1), 1u);
  EXPECT_EQ(JumpsOf(64, 2), 2u);
  EXPECT_EQ(JumpsOf(1, 8), 1u);
  for (size_t ranks = 3; ranks <= 8; ++ranks) EXPECT_LE(JumpsOf(64, ranks), 4 * ranks) << ranks;
}

TEST(CrewTest, TheFirstRankBeginsAtTheBeginningAndTheSecondInTheMiddle) {
  EXPECT_EQ(NextInARow(std::vector<size_t>{0, 1, 2, 3, 4, 5}, SIZE_MAX), 0u);
  EXPECT_EQ(NextInARow(std::vector<size_t>{1, 2, 3, 4, 5}, SIZE_MAX), 2u);
  // The one right behind, however short its row is.
  EXPECT_EQ(NextInARow(std::vector<size_t>{2, 10, 11, 12, 13}, 1), 0u);
  EXPECT_EQ(NextInARow(std::vector<size_t>{2, 10, 11, 12, 13}, 5), 3u);
}

std::vector<DealtUnit> UnitsOfCosts(const std::vector<uint64_t>& costs) {
  std::vector<DealtUnit> units(costs.size());
  for (size_t i = 0; i < costs.size(); ++i) units[i].cost = costs[i];
  return units;
}

TEST(HandsTest, ARankHoldsAFewSmallUnitsWhileManyAreLeft) {
  const std::vector<DealtUnit> units = UnitsOfCosts(std::vector<uint64_t>(100, 7));
  Hands hands(units, 2);
  size_t dealt = 0;
  while (!hands.left().empty() && hands.IsDue(1, 0)) {
    hands.PickUp(1, 0);
    ++dealt;
  }
  // A quarter of its share of 100 units, counted with what it holds already.
  EXPECT_EQ(dealt, 11u);
  EXPECT_TRUE(hands.IsDue(0, 0));
}

TEST(HandsTest, ARankHoldsOneUnitIfTheNextIsAGoodPartOfTheRest) {
  const std::vector<DealtUnit> few = UnitsOfCosts({5, 5, 5, 5, 5, 5});
  Hands hands(few, 2);
  EXPECT_EQ(hands.PickUp(0, 0), 0u);
  EXPECT_FALSE(hands.IsDue(0, 0));
  // A large one is made alone, however many small ones are left.
  std::vector<uint64_t> costs(100, 1);
  costs[40] = 1000;
  const std::vector<DealtUnit> mixed = UnitsOfCosts(costs);
  Hands large(mixed, 2);
  EXPECT_EQ(large.PickUp(0, 0), 40u);
  EXPECT_FALSE(large.IsDue(0, 0));
  EXPECT_EQ(large.PickUp(1, 0), 0u);
  EXPECT_TRUE(large.IsDue(1, 0));
}

TEST(HandsTest, UnitsComeBackInTheOrderInWhichARankGotThem) {
  const std::vector<DealtUnit> units = UnitsOfCosts(std::vector<uint64_t>(100, 0));
  Hands hands(units, 1);
  hands.PickUp(0, 0);
  hands.PickUp(0, 0);
  EXPECT_EQ(hands.Held(0), 2u);
  EXPECT_FALSE(hands.PutDown(0, 1));
  EXPECT_TRUE(hands.PutDown(0, 0));
  EXPECT_EQ(hands.First(0), 1u);
  EXPECT_TRUE(hands.PutDown(0, 1));
  EXPECT_FALSE(hands.PutDown(0, 1));
}

}  // namespace
}  // namespace gordian
