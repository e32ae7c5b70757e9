// SPDX-License-Identifier: Apache-2.0
#include "symbols/debug_package.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "tests/support/temp_dir.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using testing::TempDir;
using testing::WriteFile;

class DebugPackage : public ::testing::Test {
 protected:
  void List(const std::string& name, const std::string& text) {
    const std::string folder = root_ / "var/lib/dpkg/info";
    std::filesystem::create_directories(folder);
    WriteFile(absl::StrCat(folder, "/", name), text);
  }
  std::string Of(const std::string& path) const { return Find(FileTree(root_.path()), path); }
  static std::string Find(const FileTree& root, const std::string& path) {
    const auto packages = DebugPackagesOf(root, {path});
    return packages.empty() ? "" : packages.begin()->second;
  }

  TempDir root_;
};

TEST_F(DebugPackage, OfTheCLibraryIsPartOfTheDistribution) {
  List("libc6:amd64.list", "/.\n/lib/x86_64-linux-gnu/libc.so.6\n");
  EXPECT_EQ(Of("/usr/lib/x86_64-linux-gnu/libc.so.6"), "libc6-dbg");
  EXPECT_EQ(Of("/lib/x86_64-linux-gnu/libc.so.6"), "libc6-dbg");
}

TEST_F(DebugPackage, OfAnotherFileIsItsPackagesOwn) {
  List("redis-server.list", "/usr/bin\n/usr/bin/redis-server");
  List("libssl3:amd64.list", "/usr/lib/x86_64-linux-gnu/libssl.so.3\n");
  EXPECT_EQ(Of("/usr/bin/redis-server"), "redis-server-dbgsym");
  EXPECT_EQ(Of("/usr/lib/x86_64-linux-gnu/libssl.so.3"), "libssl3-dbgsym");
}

TEST_F(DebugPackage, IsNotToldByAPartOfAnotherFilesName) {
  List("other.list", "/usr/bin/redis-server-old\n/opt/usr/bin/redis-server\n");
  List("other.md5sums", "/usr/bin/redis-server\n");
  EXPECT_EQ(Of("/usr/bin/redis-server"), "");
}

TEST_F(DebugPackage, IsNotKnownWhereThereIsNoDpkg) {
  EXPECT_EQ(Of("/usr/bin/redis-server"), "");
  EXPECT_EQ(Find(FileTree(root_ / "nowhere"), "/usr/bin/redis-server"), "");
}

TEST_F(DebugPackage, IsNamedInTheNoteWhereItIsKnown) {
  List("redis-server.list", "/usr/bin/redis-server\n");
  EXPECT_THAT(
      NotesOnStrippedFiles(FileTree(root_.path()),
                           {{"/opt/mine", 12}, {"/usr/bin/redis-server", 1}}),
      ElementsAre("/opt/mine is stripped: 12 places in it have no name. Install its debug symbols, "
                  "then call `gordian symbolize`.",
                  "/usr/bin/redis-server is stripped: 1 place in it has no name. Install "
                  "redis-server-dbgsym, then call `gordian symbolize`."));
}

}  // namespace
}  // namespace gordian
