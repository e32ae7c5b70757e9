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

TEST(WorkFolder, FindsResultsThatShareAFile) {
  const testing::TempDir dir;
  const auto folder = WorkFolder::Open(dir / "work", 1);
  ASSERT_TRUE(folder.ok()) << folder.status();
  pb::RankKey file;
  file.set_recording("some nodes");
  auto writer = folder->Begin(file, "some nodes");
  ASSERT_TRUE(writer.ok()) << writer.status();
  for (uint32_t node = 0; node < 12; ++node) {
    writer->BeginMember(MemberOf(file, node).member());
    writer->AddColumn<uint32_t>("number", std::span(&node, 1));
  }
  ASSERT_TRUE(writer->Commit().ok());

  ResultsInARow results(*folder);
  for (const uint32_t node : {1u, 11u, 0u}) {
    auto found = results.Find(MemberOf(file, node));
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_EQ(found->Column<uint32_t>("number")->front(), node);
    EXPECT_TRUE(folder->Find(MemberOf(file, node)).ok());
  }
  EXPECT_TRUE(absl::IsNotFound(results.Find(MemberOf(file, 12)).status()));
  file.set_recording("others");
  EXPECT_TRUE(absl::IsNotFound(results.Find(MemberOf(file, 1)).status()));
}

}  // namespace
}  // namespace gordian
