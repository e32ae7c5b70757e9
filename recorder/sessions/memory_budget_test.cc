// SPDX-License-Identifier: Apache-2.0
#include "recorder/sessions/memory_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "recorder/sessions/test_sizes.h"

namespace gordian {
namespace {

TEST(MemoryBudget, EveryCpuHasARing) {
  RecordingOptions options;
  options.kernel_ring_bytes_per_cpu = 8 * kMiB;
  const uint64_t two = SessionMemoryBytes(options, 2);
  EXPECT_GT(two, 16 * kMiB);
  EXPECT_GE(SessionMemoryBytes(options, 64) - two, 62 * 8 * kMiB);
}

TEST(MemoryBudget, StacksTakeMore) {
  RecordingOptions options;
  const uint64_t without = SessionMemoryBytes(options, 2);
  options.stacks = StackChoice::kSampled;
  EXPECT_GT(SessionMemoryBytes(options, 2), without);
}

TEST(MemoryBudget, SomeIsLeftAloneAndSessionsThatStartAreCounted) {
  const MemoryLimit limit{.limit_bytes = 500 * kMiB, .left_bytes = 132 * kMiB};
  EXPECT_TRUE(AdmitMemory(limit, 0, 100 * kMiB).ok());
  EXPECT_TRUE(AdmitMemory(limit, 60 * kMiB, 40 * kMiB).ok());
  const absl::Status refused = AdmitMemory(limit, 60 * kMiB, 40 * kMiB + 1);
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(refused.message()),
              ::testing::HasSubstr("of gordiand's 500 MiB only 132 MiB are left"));
}

TEST(MemoryBudget, WithoutALimitEverythingFits) {
  EXPECT_TRUE(AdmitMemory(std::nullopt, 0, 1ull << 50).ok());
}

}  // namespace
}  // namespace gordian
