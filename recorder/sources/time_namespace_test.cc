// SPDX-License-Identifier: Apache-2.0
#include "recorder/sources/time_namespace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "recorder/sources/fixture_tree.h"

namespace gordian {
namespace {

using ::testing::HasSubstr;

class TimeNamespaceTest : public ::testing::Test {
 protected:
  void Namespaces(const std::string& own, const std::string& of_children) const {
    tree_.MakeFolder("proc/self/ns");
    std::filesystem::create_symlink(own, tree_.Path("proc/self/ns/time"));
    std::filesystem::create_symlink(of_children, tree_.Path("proc/self/ns/time_for_children"));
  }
  void Offsets(const std::string& text) const { tree_.Write("proc/self/timens_offsets", text); }
  absl::Status Check() const { return CheckClocksAreTheKernels(tree_.paths()); }
  FixtureTree tree_;
};

TEST_F(TimeNamespaceTest, KernelsWithoutThemAreWell) { EXPECT_TRUE(Check().ok()); }

TEST_F(TimeNamespaceTest, TheHostsOwnIsWell) {
  Namespaces("time:[4026531834]", "time:[4026531834]");
  Offsets("monotonic           0         0\nboottime            0         0\n");
  EXPECT_TRUE(Check().ok());
}

TEST_F(TimeNamespaceTest, AShiftedClockIsRefused) {
  Namespaces("time:[4026532200]", "time:[4026532200]");
  Offsets("monotonic           0         0\nboottime        -86400         0\n");
  EXPECT_THAT(Check().message(), HasSubstr("boottime clock is -86400 s off"));
}

TEST_F(TimeNamespaceTest, AShiftOfLessThanASecondIsRefused) {
  Namespaces("time:[4026532200]", "time:[4026532200]");
  Offsets("monotonic           0  1000000\nboottime            0         0\n");
  EXPECT_THAT(Check().message(), HasSubstr("monotonic clock is 0.001 s off"));
}

// As after unshare(CLONE_NEWTIME): it only is for children.
TEST_F(TimeNamespaceTest, OffsetsOfChildrenAloneAreNoMatter) {
  Namespaces("time:[4026531834]", "time:[4026532200]");
  Offsets("monotonic        1000         0\nboottime            0         0\n");
  EXPECT_TRUE(Check().ok());
}

}  // namespace
}  // namespace gordian
