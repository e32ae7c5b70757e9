// SPDX-License-Identifier: Apache-2.0
#include "recorder/sources/memory_limit.h"

#include <gtest/gtest.h>

#include "recorder/sources/fixture_tree.h"

namespace gordian {
namespace {

class MemoryLimitTest : public ::testing::Test {
 protected:
  MemoryLimitTest() {
    files_.Write("proc/self/mountinfo",
                 "41 31 0:38 / " + files_.Path("cg") + " rw - cgroup2 cgroup2 rw\n");
    files_.Write("proc/self/cgroup", "1:name=systemd:/old\n0::/system.slice/gordiand.service\n");
    files_.Write(kService + "/memory.max", "500000\n");
    files_.Write(kService + "/memory.current", "400000\n");
    files_.Write(kService + "/memory.stat",
                 "anon 100000\nfile 250000\ninactive_file 150000\nactive_file 50000\n");
  }

  const std::string kService = "cg/system.slice/gordiand.service";
  FixtureTree files_;
};

TEST_F(MemoryLimitTest, CachedFilesCountAsLeft) {
  const auto limit = ReadMemoryLimit(files_.paths());
  ASSERT_TRUE(limit);
  EXPECT_EQ(limit->limit_bytes, 500'000u);
  EXPECT_EQ(limit->left_bytes, 300'000u);
}

TEST_F(MemoryLimitTest, ATighterLimitAboveWins) {
  files_.Write("cg/system.slice/memory.max", "900000\n");
  files_.Write("cg/system.slice/memory.current", "899000\n");
  const auto limit = ReadMemoryLimit(files_.paths());
  ASSERT_TRUE(limit);
  EXPECT_EQ(limit->limit_bytes, 900'000u);
  EXPECT_EQ(limit->left_bytes, 1000u);
}

TEST_F(MemoryLimitTest, WhoIsOverTheLimitHasNothingLeft) {
  files_.Write(kService + "/memory.max", "100000\n");
  EXPECT_EQ(ReadMemoryLimit(files_.paths())->left_bytes, 0u);
}

TEST_F(MemoryLimitTest, NoLimitIsNone) {
  files_.Write(kService + "/memory.max", "max\n");
  EXPECT_FALSE(ReadMemoryLimit(files_.paths()));
  files_.Write("proc/self/cgroup", "0::/\n");
  EXPECT_FALSE(ReadMemoryLimit(files_.paths()));
  files_.Remove("proc");
  EXPECT_FALSE(ReadMemoryLimit(files_.paths()));
}

}  // namespace
}  // namespace gordian
