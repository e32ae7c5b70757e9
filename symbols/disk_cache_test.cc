// SPDX-License-Identifier: Apache-2.0
#include "symbols/disk_cache.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/support/temp_dir.h"

namespace gordian {
namespace {

namespace fs = std::filesystem;
using testing::ReadFile;
using testing::TempDir;

class DiskCacheTest : public ::testing::Test {
 protected:
  // The only entry's file.
  std::string EntryFile() const {
    std::string found;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      EXPECT_EQ(found, "") << "more than one";
      found = entry.path();
    }
    return found;
  }
  size_t Files() const {
    return static_cast<size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  static void Write(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
  }
  static void SetUsed(const std::string& path, time_t seconds_ago) {
    const timespec time = {::time(nullptr) - seconds_ago, 0};
    const timespec times[] = {time, time};
    ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  }

  const TempDir temp_;
  const std::string folder_ = temp_.path() + "/parent/cache";
};

TEST_F(DiskCacheTest, GivesBackWhatWasStored) {
  DiskCache(folder_).Store("key", "content");
  DiskCache later(folder_);
  EXPECT_TRUE(later.status().ok());
  EXPECT_EQ(later.Load("key"), "content");
  EXPECT_EQ(later.Load("another"), std::nullopt);
  later.Store("key", "newer");
  EXPECT_EQ(later.Load("key"), "newer");
  later.Store("empty", "");
  EXPECT_EQ(later.Load("empty"), "");
}

TEST_F(DiskCacheTest, KeepsItsFilesToItself) {
  DiskCache(folder_).Store("key", "content");
  struct stat status = {};
  ASSERT_EQ(::stat(folder_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  ASSERT_EQ(::stat(EntryFile().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(DiskCacheTest, BelievesNoEntryWithAnyByteChanged) {
  DiskCache(folder_).Store("key", "content content content");
  const std::string path = EntryFile();
  const std::string good = ReadFile(path);
  for (size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    Write(path, bad);
    EXPECT_EQ(DiskCache(folder_).Load("key"), std::nullopt) << "byte " << at;
  }
  Write(path, good);
  EXPECT_NE(DiskCache(folder_).Load("key"), std::nullopt);
}

TEST_F(DiskCacheTest, BelievesNoEntryThatIsCutOrLonger) {
  DiskCache(folder_).Store("key", "content content content");
  const std::string path = EntryFile();
  const std::string good = ReadFile(path);
  for (size_t size = 0; size < good.size(); ++size) {
    Write(path, good.substr(0, size));
    EXPECT_EQ(DiskCache(folder_).Load("key"), std::nullopt) << size << " bytes";
  }
  Write(path, good + "x");
  EXPECT_EQ(DiskCache(folder_).Load("key"), std::nullopt);
}

TEST_F(DiskCacheTest, BelievesNoEntryOfAnotherKey) {
  DiskCache(folder_).Store("key", "content");
  const std::string path = EntryFile();
  const std::string bytes = ReadFile(path);
  fs::remove(path);
  DiskCache(folder_).Store("another", "content");
  Write(EntryFile(), bytes);
  EXPECT_EQ(DiskCache(folder_).Load("another"), std::nullopt);
}

TEST_F(DiskCacheTest, UnpacksNoMoreThanItsLimit) {
  const std::string content(1 << 20, 'x');
  const std::string packed = *PackCacheEntry("key", content);
  EXPECT_LT(packed.size(), 10000u);
  EXPECT_EQ(UnpackCacheEntry(packed, "key", content.size()), content);
  EXPECT_EQ(UnpackCacheEntry(packed, "key", content.size() - 1), std::nullopt);
}

TEST_F(DiskCacheTest, FollowsNoSymbolicLink) {
  DiskCache(folder_).Store("key", "content");
  const std::string path = EntryFile();
  fs::rename(path, temp_.path() + "/moved");
  fs::create_symlink(temp_.path() + "/moved", path);
  EXPECT_EQ(DiskCache(folder_).Load("key"), std::nullopt);
  // It is replaced, not written through.
  DiskCache(folder_).Store("key", "newer");
  EXPECT_EQ(DiskCache(folder_).Load("key"), "newer");
  EXPECT_FALSE(fs::is_symlink(path));

  fs::create_symlink(folder_, temp_.path() + "/link");
  DiskCache through(temp_.path() + "/link");
  EXPECT_FALSE(through.status().ok());
  EXPECT_EQ(through.Load("key"), std::nullopt);
}

TEST_F(DiskCacheTest, BelievesNoFileThatOthersMayWrite) {
  DiskCache(folder_).Store("key", "content");
  ASSERT_EQ(::chmod(EntryFile().c_str(), 0620), 0);
  EXPECT_EQ(DiskCache(folder_).Load("key"), std::nullopt);
  ASSERT_EQ(::chmod(EntryFile().c_str(), 0602), 0);
  EXPECT_EQ(DiskCache(folder_).Load("key"), std::nullopt);
  ASSERT_EQ(::chmod(EntryFile().c_str(), 0644), 0);
  EXPECT_EQ(DiskCache(folder_).Load("key"), "content");
}

TEST_F(DiskCacheTest, UsesNoFolderThatOthersMayWriteTo) {
  DiskCache(folder_).Store("key", "content");
  ASSERT_EQ(::chmod(folder_.c_str(), 0770), 0);
  DiskCache open_to_a_group(folder_);
  EXPECT_EQ(open_to_a_group.Load("key"), std::nullopt);
  EXPECT_NE(open_to_a_group.status().message().find("others may write there"), std::string::npos);
  open_to_a_group.Store("second", "content");
  EXPECT_EQ(Files(), 1u);
  ASSERT_EQ(::chmod(folder_.c_str(), 0750), 0);
  EXPECT_EQ(DiskCache(folder_).Load("key"), "content");
}

TEST_F(DiskCacheTest, BelievesNothingOfAnotherOwner) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  DiskCache(folder_).Store("key", "content");
  ASSERT_EQ(::chown(EntryFile().c_str(), 12345, 0), 0);
  EXPECT_EQ(DiskCache(folder_).Load("key"), std::nullopt);
  ASSERT_EQ(::chown(EntryFile().c_str(), 0, 0), 0);
  ASSERT_EQ(::chown(folder_.c_str(), 12345, 0), 0);
  EXPECT_FALSE(DiskCache(folder_).status().ok());
  EXPECT_EQ(DiskCache(folder_).Load("key"), std::nullopt);
}

TEST_F(DiskCacheTest, OpensNoPipe) {
  DiskCache(folder_).Store("key", "content");
  const std::string path = EntryFile();
  fs::remove(path);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(DiskCache(folder_).Load("key"), std::nullopt);
}

TEST_F(DiskCacheTest, DropsWhatWasUsedLongestAgo) {
  std::mt19937_64 random(1);
  std::string content(10'000, '\0');
  for (char& byte : content) byte = static_cast<char>(random());
  const DiskCacheLimits limits = {.max_bytes = 105'000};
  for (int i = 0; i < 10; ++i) {
    DiskCache(folder_).Store(absl::StrCat("key ", i), content);
  }
  EXPECT_EQ(Files(), 10u);
  int seconds = 100'000;
  std::vector<std::string> order;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    SetUsed(entry.path(), seconds -= 5000);
    order.push_back(entry.path());
  }
  DiskCache full(folder_, limits);
  // A use counts: the oldest stays.
  for (int i = 0; i < 10; ++i) {
    const fs::file_time_type before = fs::last_write_time(order[0]);
    full.Load(absl::StrCat("key ", i));
    if (fs::last_write_time(order[0]) != before) break;
  }
  for (size_t i = 1; i < order.size(); ++i) SetUsed(order[i], 100'000 - 5000 * (i + 1));
  full.Store("one more", content);
  EXPECT_TRUE(fs::exists(order[0]));
  EXPECT_FALSE(fs::exists(order[1]));
  EXPECT_TRUE(fs::exists(order[9]));
  uint64_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(folder_)) bytes += entry.file_size();
  EXPECT_LE(bytes, limits.max_bytes * 9 / 10);
  EXPECT_EQ(full.Load("one more"), content);
}

TEST_F(DiskCacheTest, ClearsUpAfterKilledWritersOnly) {
  DiskCache cache(folder_);
  for (const char* name : {"new-1-00000000", "new-2-00000000", "someone's"})
    Write(folder_ + "/" + name, "part");
  SetUsed(folder_ + "/new-1-00000000", 10'000);
  SetUsed(folder_ + "/someone's", 10'000);
  cache.Store("key", "content");
  EXPECT_FALSE(fs::exists(folder_ + "/new-1-00000000"));
  EXPECT_TRUE(fs::exists(folder_ + "/new-2-00000000")) << "it may be at work";
  EXPECT_TRUE(fs::exists(folder_ + "/someone's"));
}

TEST_F(DiskCacheTest, ServesTwoWritersAtOnce) {
  const std::string contents[] = {std::string(200'000, 'a'), std::string(100'000, 'b')};
  std::atomic<int> wrong = 0;
  std::atomic<int> found = 0;
  const auto use = [&](const std::string& own) {
    DiskCache cache(folder_);
    for (int i = 0; i < 200; ++i) {
      cache.Store("key", own);
      const std::optional<std::string> content = cache.Load("key");
      found += content.has_value();
      wrong += !content || (*content != contents[0] && *content != contents[1]);
    }
  };
  std::thread other(use, contents[1]);
  use(contents[0]);
  other.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(found, 400);
  EXPECT_EQ(Files(), 1u);
}

TEST_F(DiskCacheTest, KeepsNothingWithoutAFolder) {
  DiskCache none;
  none.Store("key", "content");
  EXPECT_EQ(none.Load("key"), std::nullopt);
  Write(temp_.path() + "/file", "");
  DiskCache in_a_file(temp_.path() + "/file/cache");
  in_a_file.Store("key", "content");
  EXPECT_EQ(in_a_file.Load("key"), std::nullopt);
}

}  // namespace
}  // namespace gordian
