// SPDX-License-Identifier: Apache-2.0
#include "mpi/work_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/support/temp_dir.h"

namespace gordian {
namespace {

using ::testing::HasSubstr;

class LimitedWorkFolder : public ::testing::Test {
 protected:
  void TearDown() override { ::unsetenv("GORDIAN_STORE_LIMIT"); }
  absl::Status Keep(uint64_t bytes) const {
    const auto folder = WorkFolder::Open(dir_ / "work", 1);
    if (!folder.ok()) return folder.status();
    pb::RankKey key;
    key.set_recording("one");
    return folder->Begin(key, "one", bytes).status();
  }
  const testing::TempDir dir_;
};

TEST_F(LimitedWorkFolder, HoldsAsMuchAsTheVariableSays) {
  ::setenv("GORDIAN_STORE_LIMIT", "1M", 1);
  EXPECT_TRUE(Keep(500'000).ok());
  const absl::Status status = Keep(2'000'000);
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  EXPECT_THAT(status.message(), HasSubstr("GORDIAN_STORE_LIMIT raises it"));
  ::setenv("GORDIAN_STORE_LIMIT", "4M", 1);
  EXPECT_TRUE(Keep(2'000'000).ok());
}

TEST_F(LimitedWorkFolder, IsNotOpenedWithALimitThatMakesNoSense) {
  ::setenv("GORDIAN_STORE_LIMIT", "much", 1);
  EXPECT_THAT(Keep(1).message(), HasSubstr("GORDIAN_STORE_LIMIT: "));
}

}  // namespace
}  // namespace gordian
