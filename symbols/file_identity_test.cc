// SPDX-License-Identifier: Apache-2.0
#include "symbols/file_identity.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "tests/support/temp_dir.h"
#include "trace/file_io.h"

namespace gordian {
namespace {

using testing::TempDir;

constexpr int kFileNumber = 99;

class FileIdentityTest : public ::testing::Test {
 protected:
  std::string IdentityOf(const std::string& path) const {
    const FileHandle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    return FileIdentity(file.get(), "/proc");
  }

  const TempDir temp_;
  const std::string path_ = temp_.path() + "/file";
};

TEST_F(FileIdentityTest, IsTheSameUntilTheFileChanges) {
  std::ofstream(path_) << "one";
  const std::string before = IdentityOf(path_);
  ASSERT_NE(before, "") << "the folder of temporary files is on a disk";
  EXPECT_EQ(IdentityOf(path_), before);
  std::ofstream(path_) << "four";
  EXPECT_NE(IdentityOf(path_), before);
}

// Size and time of modification can be put back, the time of change cannot.
TEST_F(FileIdentityTest, TellsAFileWhoseTimesWerePutBack) {
  std::ofstream(path_) << "one";
  const std::string before = IdentityOf(path_);
  struct stat status = {};
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  // The clock of files has its ticks: the change must come in a later one.
  std::string after = before;
  while (after == before) {
    std::ofstream(path_) << "two";
    const timespec times[] = {status.st_atim, status.st_mtim};
    ASSERT_EQ(::utimensat(AT_FDCWD, path_.c_str(), times, 0), 0);
    after = IdentityOf(path_);
  }
  struct stat now = {};
  ASSERT_EQ(::stat(path_.c_str(), &now), 0);
  EXPECT_EQ(now.st_mtim.tv_nsec, status.st_mtim.tv_nsec);
  EXPECT_EQ(now.st_size, status.st_size);
}

TEST_F(FileIdentityTest, DiffersBetweenFilesOfTheSameContent) {
  std::ofstream(path_) << "one";
  std::ofstream(path_ + "2") << "one";
  EXPECT_NE(IdentityOf(path_), IdentityOf(path_ + "2"));
}

TEST_F(FileIdentityTest, IsNotGivenToDeletedFilesAndOthersThatGo) {
  std::ofstream(path_) << "one";
  const FileHandle file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  ::unlink(path_.c_str());
  EXPECT_EQ(FileIdentity(file.get(), "/proc"), "");
  const FileHandle memory(::memfd_create("file", MFD_CLOEXEC));
  EXPECT_EQ(FileIdentity(memory.get(), "/proc"), "");
  EXPECT_EQ(IdentityOf("/proc/self/maps"), "");
  EXPECT_EQ(FileIdentity(-1, "/proc"), "");
}

// Root stands for the user here: who made them does not matter, only that they are apart.
TEST_F(FileIdentityTest, BelievesNoMountsThatAUserMadeForHimself) {
  int told[2];
  int done[2];
  ASSERT_EQ(::pipe(told), 0);
  ASSERT_EQ(::pipe(done), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(done[1]);
    const bool mounted = ::unshare(CLONE_NEWNS) == 0 &&
                         ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                         ::mount("none", "/mnt", "tmpfs", 0, nullptr) == 0;
    const int file = mounted ? ::open("/mnt/file", O_CREAT | O_RDWR, 0600) : -1;
    const int number = file < 0 ? -1 : ::dup2(file, kFileNumber);
    if (::write(told[1], &number, sizeof(number)) != sizeof(number)) ::_exit(1);
    char byte = 0;
    ::_exit(static_cast<int>(::read(done[0], &byte, 1)));
  }
  int number = -1;
  ASSERT_EQ(::read(told[0], &number, sizeof(number)), static_cast<ssize_t>(sizeof(number)));
  const FileHandle file(
      ::open(absl::StrCat("/proc/", child, "/fd/", kFileNumber).c_str(), O_RDONLY | O_CLOEXEC));
  const bool opened = file.is_open();
  const std::string identity = FileIdentity(file.get(), "/proc");
  for (const int end : {told[0], told[1], done[0], done[1]}) ::close(end);
  ::waitpid(child, nullptr, 0);
  if (number < 0 || !opened) GTEST_SKIP() << "only root may mount";
  EXPECT_EQ(identity, "");
}

TEST_F(FileIdentityTest, BelievesRootsMountsWithoutADisk) {
  const std::string path = absl::StrCat("/dev/shm/gordian-identity-", ::getpid());
  { std::ofstream(path) << "one"; }
  const std::string before = IdentityOf(path);
  const bool on_memory = std::filesystem::exists(path);
  ::unlink(path.c_str());
  if (!on_memory) GTEST_SKIP() << "there is no /dev/shm";
  EXPECT_NE(before, "");
}

}  // namespace
}  // namespace gordian
