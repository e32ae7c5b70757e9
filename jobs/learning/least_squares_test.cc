// SPDX-License-Identifier: Apache-2.0
#include "jobs/learning/least_squares.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gordian {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

using Row = std::vector<std::pair<size_t, double>>;

TEST(LeastSquares, FindWhatManyRowsAgreeOn) {
  LeastSquares squares(2);
  for (int i = 0; i < 1000; ++i) {
    const double a = 0.1 * (i % 10);
    const double b = 0.3 * (i % 7);
    squares.AddRow(Row{{0, a}, {1, b}}, 4 * a + 1 * b, 1);
  }
  EXPECT_THAT(squares.Solve(std::vector<double>{1, 1}, 1),
              ElementsAre(DoubleNear(4, 0.05), DoubleNear(1, 0.05)));
}

TEST(LeastSquares, StayAtThePriorWhereNoRowTells) {
  LeastSquares squares(2);
  for (int i = 0; i < 1000; ++i) squares.AddRow(Row{{0, 1.0}}, 3, 1);
  EXPECT_THAT(squares.Solve(std::vector<double>{0, 7}, 1),
              ElementsAre(DoubleNear(3, 0.01), DoubleNear(7, 1e-9)));
}

TEST(LeastSquares, AreNeverBelowNothing) {
  LeastSquares squares(2);
  for (int i = 0; i < 100; ++i) {
    squares.AddRow(Row{{0, 1.0}}, 2, 1);
    squares.AddRow(Row{{0, 1.0}, {1, 1.0}}, 1, 1);
  }
  EXPECT_THAT(squares.Solve(std::vector<double>{1, 1}, 1), ElementsAre(DoubleNear(1.5, 0.05), 0));
}

TEST(LeastSquares, OneRowMovesAWeightHalfOfTheWay) {
  LeastSquares squares(1);
  squares.AddRow(Row{{0, 1.0}}, 3, 1);
  EXPECT_THAT(squares.Solve(std::vector<double>{1}, 1), ElementsAre(DoubleNear(2, 1e-9)));
}

}  // namespace
}  // namespace gordian
