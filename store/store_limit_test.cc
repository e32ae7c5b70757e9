// SPDX-License-Identifier: Apache-2.0
// What gives way when, and what a full disk does.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "store/store.h"
#include "store/store_fixture.h"

namespace gordian {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr size_t kEntryBytes = 100'000;

class StoreLimitTest : public StoreFixture {
 protected:
  // Room for so many entries of kEntryBytes, and what is made free at once besides.
  StoreOptions RoomFor(size_t entries) const {
    StoreOptions options = Options();
    options.limit_bytes = entries * (kEntryBytes + 12'000);
    return options;
  }
  static uint64_t TotalBytes(const Store& store) {
    uint64_t bytes = 0;
    for (const KeptAnalysis& analysis : store.List()) bytes += analysis.bytes;
    return bytes;
  }
  void SetUsed(const Store& store, const char* stage, time_t seconds_ago) const {
    StoreFixture::SetUsed(PathOf(store, KeyOf(stage)), seconds_ago);
  }
};

TEST_F(StoreLimitTest, WhatWasUsedLongestAgoGoesFirst) {
  const Store store = Open(RoomFor(3));
  for (const char* stage : {"one", "two", "three"})
    ASSERT_TRUE(KeepBytes(store, KeyOf(stage), kEntryBytes).ok());
  SetUsed(store, "one", 300);
  SetUsed(store, "two", 200);
  SetUsed(store, "three", 100);
  ASSERT_TRUE(store.Find(KeyOf("one")).ok());
  ASSERT_TRUE(KeepBytes(store, KeyOf("four"), kEntryBytes).ok());
  EXPECT_TRUE(store.Find(KeyOf("one")).ok());
  EXPECT_FALSE(store.Find(KeyOf("two")).ok());
  EXPECT_TRUE(store.Find(KeyOf("three")).ok());
  EXPECT_TRUE(store.Find(KeyOf("four")).ok());
}

TEST_F(StoreLimitTest, WhatIsInUseStays) {
  const Store store = Open(RoomFor(2));
  ASSERT_TRUE(KeepBytes(store, KeyOf("one"), kEntryBytes).ok());
  ASSERT_TRUE(KeepBytes(store, KeyOf("two"), kEntryBytes).ok());
  std::optional<StoredEntry> in_use = *store.Find(KeyOf("one"));
  SetUsed(store, "one", 300);
  SetUsed(store, "two", 200);
  ASSERT_TRUE(KeepBytes(store, KeyOf("three"), kEntryBytes).ok());
  EXPECT_TRUE(store.Find(KeyOf("one")).ok());
  EXPECT_FALSE(store.Find(KeyOf("two")).ok());
  in_use.reset();
  SetUsed(store, "one", 300);
  ASSERT_TRUE(KeepBytes(store, KeyOf("four"), kEntryBytes).ok());
  EXPECT_FALSE(store.Find(KeyOf("one")).ok());
}

TEST_F(StoreLimitTest, NothingIsKeptWhereAllIsInUse) {
  const Store store = Open(RoomFor(1));
  ASSERT_TRUE(KeepBytes(store, KeyOf("one"), kEntryBytes).ok());
  const auto in_use = store.Find(KeyOf("one"));
  ASSERT_TRUE(in_use.ok());
  const absl::Status status = KeepBytes(store, KeyOf("two"), kEntryBytes);
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  EXPECT_THAT(status.message(), HasSubstr("GORDIAN_STORE_LIMIT raises it"));
  EXPECT_EQ(Files().size(), 1u);
}

TEST_F(StoreLimitTest, AnEntryLargerThanTheLimitIsNotBegunAndMovesNothing) {
  const Store store = Open(RoomFor(2));
  ASSERT_TRUE(KeepBytes(store, KeyOf("one"), kEntryBytes).ok());
  EXPECT_TRUE(absl::IsResourceExhausted(store.Begin(KeyOf("two"), "", 3 * kEntryBytes).status()));
  EXPECT_TRUE(absl::IsResourceExhausted(store.Begin(KeyOf("two"), "", UINT64_MAX).status()));
  EXPECT_TRUE(store.Find(KeyOf("one")).ok());
}

TEST_F(StoreLimitTest, AnEntryThatGrowsBeyondTheLimitLeavesNothing) {
  const Store store = Open(RoomFor(2));
  auto writer = store.Begin(KeyOf("two"), "");
  ASSERT_TRUE(writer.ok());
  writer->AddBytes("content", BytesOfText(NoisyText(3 << 20)));
  EXPECT_TRUE(absl::IsResourceExhausted(writer->status()));
  EXPECT_THAT(Files(), IsEmpty());  // already
  EXPECT_TRUE(absl::IsResourceExhausted(writer->Commit()));
}

TEST_F(StoreLimitTest, AMappedSectionBeyondTheLimitIsRefused) {
  const Store store = Open(RoomFor(2));
  auto writer = store.Begin(KeyOf("two"), "");
  ASSERT_TRUE(writer.ok());
  for (const uint64_t bytes : {uint64_t{3 << 20}, UINT64_MAX, UINT64_MAX - 5000}) {
    const auto mapped = writer->MappedSection(std::to_string(bytes), bytes);
    EXPECT_TRUE(absl::IsResourceExhausted(mapped.status())) << mapped.status();
  }
}

TEST_F(StoreLimitTest, KeepsNothingWithALimitOfZero) {
  StoreOptions options = Options();
  options.limit_bytes = 0;
  EXPECT_TRUE(absl::IsResourceExhausted(KeepBytes(Open(options), KeyOf("one"), 10)));
  EXPECT_THAT(Files(), IsEmpty());
}

TEST_F(StoreLimitTest, ALowerLimitHoldsWithTheNextEntry) {
  {
    const Store store = Open(RoomFor(5));
    for (const char* stage : {"one", "two", "three", "four"})
      ASSERT_TRUE(KeepBytes(store, KeyOf(stage), kEntryBytes).ok());
  }
  const Store store = Open(RoomFor(2));
  ASSERT_TRUE(KeepBytes(store, KeyOf("five"), kEntryBytes).ok());
  EXPECT_LE(TotalBytes(store), store.limit_bytes());
  EXPECT_TRUE(store.Find(KeyOf("five")).ok());
}

// Not each entry has the folder looked at, and neither sees at once what the other wrote.
TEST_F(StoreLimitTest, ManySmallEntriesOfTwoWritersStayWithinTheLimit) {
  constexpr size_t kSmallBytes = 2'000;  // two pages, with its table
  StoreOptions options = Options();
  options.limit_bytes = 2 << 20;
  const Store one = Open(options);
  const Store two = Open(options);
  for (int entry = 0; entry < 500; ++entry) {
    const Store& store = entry % 3 == 0 ? one : two;
    ASSERT_TRUE(KeepBytes(store, KeyOf(std::to_string(entry)), kSmallBytes).ok());
    EXPECT_LE(TotalBytes(one), options.limit_bytes) << entry;
    EXPECT_TRUE(store.Find(KeyOf(std::to_string(entry))).ok());
  }
}

TEST_F(StoreLimitTest, LeavesTheDiskWhatOthersNeed) {
  const Store before = Open();
  ASSERT_TRUE(KeepBytes(before, KeyOf("one"), kEntryBytes).ok());
  StoreOptions options = Options();
  options.keep_free_bytes = UINT64_MAX;
  const Store store = Open(options);
  const absl::Status status = KeepBytes(store, KeyOf("two"), kEntryBytes);
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  EXPECT_THAT(status.message(), HasSubstr("is nearly full"));
  // It would not have been enough to remove what there is.
  EXPECT_TRUE(store.Find(KeyOf("one")).ok());
}

// Against a plain list of what was used when.
RC_GTEST_FIXTURE_PROP(StoreLimitTest, IsKeptByAnyOrderOfUses, ()) {
  const Store store = Open(RoomFor(4));
  for (const KeptAnalysis& analysis : store.List()) store.Remove(analysis);
  std::vector<int> newest_last;
  const auto steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 12));
  for (const int entry : steps) {
    const StoreKey key = KeyOf(std::to_string(entry));
    const bool is_kept = std::erase(newest_last, entry) > 0;
    RC_ASSERT(store.Find(key).ok() == is_kept);
    if (!is_kept) RC_ASSERT(KeepBytes(store, key, kEntryBytes).ok());
    newest_last.push_back(entry);
    if (newest_last.size() > 4) newest_last.erase(newest_last.begin());
    RC_ASSERT(TotalBytes(store) <= store.limit_bytes());
  }
  RC_ASSERT(store.List().size() == newest_last.size());
}

// Runs `scenario` in a process of its own, and gives its exit code. Nothing it does to limits and
// mounts stays.
int RunApart(const std::function<int()>& scenario) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) ::_exit(scenario());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

constexpr int kGood = 0;
constexpr int kBad = 1;
constexpr int kCannotMount = 77;

int Tell(bool is_good, const char* what) {
  if (!is_good) std::fprintf(stderr, "not so: %s\n", what);
  return is_good ? kGood : kBad;
}

// A disk of 16 MiB of this process's own at `folder`.
bool MountDisk(const std::string& folder, const std::string& size) {
  fs::create_directories(folder);
  if (::unshare(CLONE_NEWNS) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  return ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("tmpfs", folder.c_str(), "tmpfs", 0, ("size=" + size + ",mode=0700").c_str()) == 0;
}

bool MountSmallDisk(const std::string& folder) { return MountDisk(folder, "16m"); }

void FillDisk(const std::string& folder) {
  const int file = ::open((folder + "/filler").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  const std::string bytes(1 << 20, 'x');
  while (::write(file, bytes.data(), bytes.size()) > 0) {
  }
  ::close(file);
}

// The disk fills up after room was found; writing, or taking space for a mapping, fails.
int KeepOnFullDisk(const std::string& disk, bool mapped) {
  if (!MountSmallDisk(disk)) return kCannotMount;
  const auto store = Store::Open(
      {.folder = disk + "/analyses", .limit_bytes = 64 << 20, .keep_free_bytes = 0, .threads = 1});
  if (!store.ok()) return Tell(false, "the store opens");
  auto writer = store->Begin(KeyOf("timeline"), "", 8 << 20);
  if (!writer.ok()) return Tell(false, "there is room at first");
  FillDisk(disk);
  if (mapped) {
    const auto section = writer->MappedSection("content", 4 << 20);
    if (section.ok()) return Tell(false, "the mapping is refused");
  } else {
    writer->AddBytes("content", BytesOfText(NoisyText(4 << 20)));
  }
  const absl::Status status = writer->Commit();
  return Tell(absl::IsResourceExhausted(status), status.ToString().c_str()) |
         Tell(status.message().find("No space left") != std::string::npos, "it tells why") |
         Tell(fs::is_empty(disk + "/analyses"), "nothing is left");
}

TEST_F(StoreLimitTest, AFullDiskIsOneLineAndLeavesNothing) {
  for (const bool mapped : {false, true}) {
    const int code = RunApart([&] { return KeepOnFullDisk(temporary_ / "disk", mapped); });
    if (code == kCannotMount) GTEST_SKIP() << "this process may not mount a small disk";
    EXPECT_EQ(code, kGood) << (mapped ? "mapped" : "written");
  }
}

// A twentieth of a large disk is more than whole analyses need.
TEST_F(StoreLimitTest, LeavesATwentiethOfTheDiskAndAtMostOneGibibyte) {
  for (const auto& [size, kept_free] :
       {std::pair<std::string, uint64_t>{"400m", 20 << 20}, {"400g", uint64_t{1} << 30}}) {
    const int code = RunApart([&, size = size, kept_free = kept_free] {
      const std::string disk = temporary_ / ("disk-" + size);
      if (!MountDisk(disk, size)) return kCannotMount;
      const auto store = Store::Open({.folder = disk + "/analyses", .threads = 1});
      if (!store.ok()) return Tell(false, "the store opens");
      return Tell(store->keep_free_bytes() == kept_free, size.c_str());
    });
    if (code == kCannotMount) GTEST_SKIP() << "this process may not mount a disk";
    EXPECT_EQ(code, kGood) << size;
  }
}

TEST_F(StoreLimitTest, TheStoreGivesWayOnAFullDisk) {
  const int code = RunApart([&] {
    const std::string disk = temporary_ / "disk";
    if (!MountSmallDisk(disk)) return kCannotMount;
    const auto store = Store::Open({.folder = disk + "/analyses",
                                    .limit_bytes = 64 << 20,
                                    .keep_free_bytes = 2 << 20,
                                    .threads = 1});
    if (!store.ok()) return Tell(false, "the store opens");
    for (int i = 0; i < 12; ++i) {
      const absl::Status status = KeepBytes(*store, KeyOf(std::to_string(i)), 3 << 20);
      if (!status.ok()) return Tell(false, status.ToString().c_str());
    }
    return Tell(store->List().size() >= 3, "as many stay as there is room for") |
           Tell(store->Find(KeyOf("11")).ok(), "the newest stays");
  });
  if (code == kCannotMount) GTEST_SKIP() << "this process may not mount a small disk";
  EXPECT_EQ(code, kGood);
}

// Beyond this limit the kernel kills who writes.
TEST_F(StoreLimitTest, ALimitOnTheSizeOfFilesIsOneLineAndLeavesNothing) {
  const int code = RunApart([&] {
    const rlimit limit = {1 << 20, 1 << 20};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const Store store = Open();
    const absl::Status written = KeepBytes(store, KeyOf("one"), 3 << 20);
    auto writer = store.Begin(KeyOf("two"), "");
    const auto mapped = writer->MappedSection("content", 2 << 20);
    return Tell(absl::IsResourceExhausted(written), written.ToString().c_str()) |
           Tell(absl::IsResourceExhausted(mapped.status()), "a mapping is refused") |
           Tell(KeepBytes(store, KeyOf("three"), 10'000).ok(), "a small one is kept") |
           Tell(Files().size() == 1, "nothing else is left");
  });
  EXPECT_EQ(code, kGood);
}

}  // namespace
}  // namespace gordian
