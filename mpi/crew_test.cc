// SPDX-License-Identifier: Apache-2.0
#include "mpi/crew.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <set>
#include <vector>

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

}  // namespace
}  // namespace gordian
