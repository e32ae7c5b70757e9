// SPDX-License-Identifier: Apache-2.0
#include "recorder/sessions/disk_budget.h"

#include <gtest/gtest.h>

#include "recorder/sessions/test_sizes.h"

namespace gordian {
namespace {

SessionLimits Limits() {
  SessionLimits limits;
  limits.max_total_bytes = 1000 * kMiB;
  limits.min_free_bytes = 100 * kMiB;
  return limits;
}

RecordingOptions Wants(uint64_t max_bytes, uint64_t ring_bytes = 0) {
  RecordingOptions options;
  options.max_bytes = max_bytes;
  options.ring_bytes = ring_bytes;
  return options;
}

TEST(DiskBudget, ASessionThatFitsGetsWhatItWants) {
  RecordingOptions options = Wants(300 * kMiB);
  EXPECT_TRUE(DiskBudget(Limits(), 700 * kMiB, 100 * kMiB).AdmitSession(options, true).ok());
  EXPECT_EQ(options.max_bytes, 300 * kMiB);
}

TEST(DiskBudget, OnlyAPlainSessionThatNamedNoSizeIsContentWithHalfOfWhatIsLeft) {
  const DiskBudget budget(Limits(), 900 * kMiB, 500 * kMiB);
  RecordingOptions plain = Wants(300 * kMiB);
  EXPECT_TRUE(budget.AdmitSession(plain, false).ok());
  EXPECT_EQ(plain.max_bytes, 50 * kMiB) << "half: a snapshot of it must find room";

  RecordingOptions asked = Wants(300 * kMiB);
  EXPECT_EQ(budget.AdmitSession(asked, true).code(), absl::StatusCode::kResourceExhausted);
  RecordingOptions ring = Wants(0, 101 * kMiB);
  EXPECT_EQ(budget.AdmitSession(ring, false).code(), absl::StatusCode::kResourceExhausted);
  ring.ring_bytes = 100 * kMiB;
  EXPECT_TRUE(budget.AdmitSession(ring, false).ok());
}

TEST(DiskBudget, NothingStartsInTheLastCorner) {
  RecordingOptions options = Wants(300 * kMiB);
  EXPECT_FALSE(DiskBudget(Limits(), 990 * kMiB, 500 * kMiB).AdmitSession(options, false).ok());
  EXPECT_FALSE(DiskBudget(Limits(), 5000 * kMiB, 500 * kMiB).AdmitSession(options, false).ok());
}

TEST(DiskBudget, TheFreeSpaceIsLeftAlone) {
  RecordingOptions options = Wants(10 * kMiB);
  EXPECT_FALSE(DiskBudget(Limits(), 0, 100 * kMiB - 1).AdmitSession(options, true).ok());
  EXPECT_TRUE(DiskBudget(Limits(), 0, 100 * kMiB).AdmitSession(options, true).ok());
  EXPECT_TRUE(DiskBudget(Limits(), 0, 150 * kMiB).AdmitSnapshot(50 * kMiB).ok());
  EXPECT_FALSE(DiskBudget(Limits(), 0, 150 * kMiB).AdmitSnapshot(50 * kMiB + 1).ok());
}

TEST(DiskBudget, ASnapshotHasToFitBesideEverythingElse) {
  EXPECT_TRUE(DiskBudget(Limits(), 900 * kMiB, 900 * kMiB).AdmitSnapshot(100 * kMiB).ok());
  EXPECT_FALSE(DiskBudget(Limits(), 900 * kMiB, 900 * kMiB).AdmitSnapshot(100 * kMiB + 1).ok());
}

}  // namespace
}  // namespace gordian
