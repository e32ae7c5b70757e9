// SPDX-License-Identifier: Apache-2.0
#include "path/verdict.h"

#include <gtest/gtest.h>

namespace gordian {
namespace {

PathLoss VerdictWith(PathLoss loss, double share) {
  std::array<double, kPathLosses> loss_ns{};
  loss_ns[static_cast<size_t>(PathLoss::kFull)] = 1000 - 1000 * share;
  loss_ns[static_cast<size_t>(loss)] += 1000 * share;
  return VerdictOf(loss_ns, 1000);
}

TEST(Verdicts, TellALossFromAFifthOfThePathOn) {
  for (size_t i = 0; i < kPathLosses; ++i) {
    const auto loss = static_cast<PathLoss>(i);
    if (loss == PathLoss::kFull || loss == PathLoss::kUntold) continue;
    SCOPED_TRACE(PathLossName(loss));
    EXPECT_EQ(VerdictWith(loss, 0.2), loss);
    EXPECT_EQ(VerdictWith(loss, 0.19), PathLoss::kFull);
  }
}

TEST(Verdicts, SayThatNothingIsKnownOnlyIfThatIsMost) {
  EXPECT_EQ(VerdictWith(PathLoss::kUntold, 0.49), PathLoss::kFull);
  EXPECT_EQ(VerdictWith(PathLoss::kUntold, 0.51), PathLoss::kUntold);
}

TEST(Verdicts, TellTheLargestOfSeveralLosses) {
  std::array<double, kPathLosses> loss_ns{};
  loss_ns[static_cast<size_t>(PathLoss::kSerial)] = 300;
  loss_ns[static_cast<size_t>(PathLoss::kDisk)] = 310;
  loss_ns[static_cast<size_t>(PathLoss::kFull)] = 390;
  EXPECT_EQ(VerdictOf(loss_ns, 1000), PathLoss::kDisk);
}

JobPath PathWith(PathLoss loss, double lost_ns) {
  JobPath path{.length_ns = 1000, .cpus = 4, .verdict = loss, .work_ns = 1600};
  path.loss_ns[static_cast<size_t>(loss)] = lost_ns;
  return path;
}

TEST(GainBounds, OfASerialPartAreAmdahls) {
  EXPECT_DOUBLE_EQ(GainBound(PathWith(PathLoss::kSerial, 400)), 1000 / (1000 - 400 * 0.75));
}

TEST(GainBounds, NeverBreakTheWorkOfAllCpus) {
  EXPECT_DOUBLE_EQ(GainBound(PathWith(PathLoss::kIdle, 900)), 1000 / 400.0);
}

TEST(GainBounds, KeepTheLongestPieceWherePiecesOnlyMove) {
  JobPath path = PathWith(PathLoss::kNarrow, 900);
  path.longest_piece_ns = 800;
  EXPECT_DOUBLE_EQ(GainBound(path), 1000 / 800.0);
}

}  // namespace
}  // namespace gordian
