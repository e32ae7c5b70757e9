// SPDX-License-Identifier: Apache-2.0
#include "recorder/sources/cgroups.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <string>

#include "recorder/sources/fixture_tree.h"

namespace gordian {
namespace {

uint64_t Inode(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(stat(path.c_str(), &status), 0) << path;
  return status.st_ino;
}

// A tree of plain folders that mountinfo says is cgroup2: ids are inode numbers there as well.
struct Tree {
  FixtureTree files;
  std::string mount;

  Tree() : mount(files.Path("cgroup two")) {
    std::string escaped = mount;
    escaped.replace(escaped.find(' '), 1, "\\040");
    files.Write("proc/self/mountinfo",
                "22 1 0:5 / /proc rw - proc proc rw\n"
                "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
                "40 31 0:38 /part /elsewhere rw shared:7 - cgroup2 cgroup2 rw\n"
                "41 31 0:38 / " +
                    escaped + " rw,relatime shared:9 - cgroup2 cgroup2 rw\n");
    files.MakeFolder("cgroup two/system.slice/web.service");
  }
};

TEST(Cgroups, TheMountOfTheWholeTreeIsFoundWhereverItIs) {
  Tree tree;
  EXPECT_EQ(FindCgroup2Mount(tree.files.paths()), tree.mount);
  tree.files.Write("proc/self/mountinfo", "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n");
  EXPECT_EQ(FindCgroup2Mount(tree.files.paths()), std::nullopt);
}

TEST(Cgroups, IdsAndPathsLeadToEachOther) {
  Tree tree;
  CgroupTable table(tree.files.paths());
  EXPECT_EQ(table.PathOf(Inode(tree.mount)), "/");
  const uint64_t web = Inode(tree.mount + "/system.slice/web.service");
  EXPECT_EQ(table.PathOf(web), "/system.slice/web.service");
  for (const std::string path :
       {"/system.slice/web.service", "system.slice/web.service", "system.slice/web.service/"}) {
    EXPECT_EQ(table.IdOf(path).value_or(0), web) << path;
  }
  EXPECT_EQ(table.IdOf(tree.mount + "/system.slice/web.service").value_or(0), web);
  EXPECT_EQ(table.IdOf("/").value_or(0), Inode(tree.mount));
}

TEST(Cgroups, OneMadeLaterIsFoundAndOneThatWentKeepsItsPath) {
  Tree tree;
  CgroupTable table(tree.files.paths());
  tree.files.MakeFolder("cgroup two/batch/job_1");
  const uint64_t job = Inode(tree.mount + "/batch/job_1");
  EXPECT_EQ(table.PathOf(job), "/batch/job_1");
  tree.files.Remove("cgroup two/batch");
  EXPECT_EQ(table.PathOf(job), "/batch/job_1");
  pb::Session session;
  table.Fill(session);
  table.Fill(session);  // replaces, does not add
  EXPECT_EQ(session.cgroups_size(), 5);
  std::map<uint64_t, std::string> filled;
  for (const pb::Cgroup& cgroup : session.cgroups()) filled[cgroup.id()] = cgroup.path();
  EXPECT_EQ(filled.at(job), "/batch/job_1");
  EXPECT_EQ(filled.size(), 5u);
}

TEST(Cgroups, AnIdThatIsNoCgroupHasNoPathAndIsNotFilledIn) {
  Tree tree;
  CgroupTable table(tree.files.paths());
  EXPECT_EQ(table.PathOf(~uint64_t{0}), "");
  EXPECT_EQ(table.PathOf(~uint64_t{0}), "");
  pb::Session session;
  table.Fill(session);
  EXPECT_EQ(session.cgroups_size(), 3);
}

TEST(Cgroups, PathsThatAreNoCgroupAreToldSo) {
  Tree tree;
  CgroupTable table(tree.files.paths());
  EXPECT_EQ(table.IdOf("/none").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(table.IdOf("/system.slice/../../proc").status().code(),
            absl::StatusCode::kInvalidArgument);
  tree.files.Write("cgroup two/file", "");
  EXPECT_EQ(table.IdOf("/file").status().code(), absl::StatusCode::kNotFound);
}

TEST(Cgroups, WithoutAMountNothingIsKnownAndTheErrorSaysHowToMountIt) {
  FixtureTree files;
  CgroupTable table(files.paths());
  EXPECT_EQ(table.PathOf(1), "");
  EXPECT_EQ(table.IdOf("/").status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST(Cgroups, OnThisMachineANewCgroupIsFoundByItsId) {
  const std::optional<std::string> mount = FindCgroup2Mount(SystemPaths{});
  if (!mount) GTEST_SKIP() << "no cgroup2 here";
  CgroupTable table(SystemPaths{});
  EXPECT_EQ(table.PathOf(Inode(*mount)), "/");
  const std::string folder = *mount + "/gordian-test-" + std::to_string(getpid());
  std::error_code error;
  if (!std::filesystem::create_directory(folder, error)) GTEST_SKIP() << "may not make cgroups";
  const uint64_t id = Inode(folder);
  EXPECT_EQ(table.PathOf(id), folder.substr(mount->size()));
  std::filesystem::remove(folder, error);
  EXPECT_EQ(table.PathOf(id), folder.substr(mount->size()));
  CgroupTable later(SystemPaths{});
  EXPECT_EQ(later.PathOf(id), "");
}

}  // namespace
}  // namespace gordian
