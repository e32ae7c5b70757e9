// SPDX-License-Identifier: Apache-2.0
// Several processes with one store, some of which are killed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "base/file_descriptor.h"
#include "store/store.h"
#include "store/store_fixture.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// A process of the test's own. It tells by `Say` that it got somewhere.
class Child {
 public:
  explicit Child(const std::function<int(const std::function<void()>& say)>& run) {
    std::array<int, 2> pipe = {};
    if (::pipe(pipe.data()) != 0) std::abort();
    std::fflush(nullptr);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::close(pipe[0]);
      ::_exit(run([&] {
        if (::write(pipe[1], "x", 1) != 1) ::_exit(99);
      }));
    }
    ::close(pipe[1]);
    heard_ = FileDescriptor(pipe[0]);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() { Kill(); }

  bool Hear() {
    char letter = 0;
    return ::read(heard_.number(), &letter, 1) == 1;
  }
  void Kill() {
    if (pid_ > 0) ::kill(pid_, SIGKILL);
    Wait();
  }
  int Wait() {
    int status = 0;
    if (pid_ > 0) ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t pid_ = -1;
  FileDescriptor heard_;
};

[[noreturn]] void SleepForEver() {
  for (;;) ::pause();
}

class StoreProcessesTest : public StoreFixture {};

TEST_F(StoreProcessesTest, AKilledWriterLeavesNothing) {
  Open();
  Child child([&](const auto& say) -> int {
    const Store store = Open();
    auto writer = store.Begin(KeyOf("timeline"), "");
    writer->AddBytes("content", BytesOfText(NoisyText(5 << 20)));
    const auto mapped = writer->MappedSection("mapped", 1 << 20);
    if (!mapped.ok()) return 1;
    say();
    SleepForEver();
  });
  ASSERT_TRUE(child.Hear());
  // While it lives, its file stays.
  EXPECT_THAT(Open().List(), IsEmpty());
  EXPECT_THAT(Files(), ElementsAre(StartsWith("new-")));
  child.Kill();
  EXPECT_TRUE(absl::IsNotFound(Open().Find(KeyOf("timeline")).status()));
  EXPECT_THAT(Files(), IsEmpty());
}

TEST_F(StoreProcessesTest, AKilledReaderHoldsNothing) {
  const Store store = Open();
  ASSERT_TRUE(KeepBytes(store, KeyOf("one"), 2'000'000).ok());
  StoreOptions options = Options();
  options.limit_bytes = 3'000'000;
  const Store small = Open(options);
  Child child([&](const auto& say) -> int {
    auto entry = Open().Find(KeyOf("one"));
    if (!entry.ok() || !entry->Section("content").ok()) return 1;
    say();
    SleepForEver();
  });
  ASSERT_TRUE(child.Hear());
  EXPECT_FALSE(KeepBytes(small, KeyOf("two"), 2'000'000).ok());
  child.Kill();
  EXPECT_TRUE(KeepBytes(small, KeyOf("two"), 2'000'000).ok());
  EXPECT_FALSE(small.Find(KeyOf("one")).ok());
}

// Killed at any moment: between two entries, within one, while one is replaced.
TEST_F(StoreProcessesTest, AWriterThatIsKilledAtAnyMomentLeavesWholeEntriesOnly) {
  for (int moment = 0; moment < 30; ++moment) {
    Child child([&](const auto& say) -> int {
      const Store store = Open();
      for (uint32_t i = 0;; ++i) {
        auto writer = store.Begin(KeyOf("timeline"), "");
        const std::string text = NoisyText(50'000, i % 3);
        writer->AddBytes("content", BytesOfText(text));
        say();
        writer->AddBytes("again", BytesOfText(text));
        if (!writer->Commit().ok()) return 1;
        say();
      }
    });
    for (int i = 0; i <= moment; ++i) ASSERT_TRUE(child.Hear());
    child.Kill();
    const Store store = Open();
    EXPECT_LE(Files().size(), 1u);
    if (auto entry = store.Find(KeyOf("timeline")); entry.ok()) {
      const std::string text = TextOfBytes(*entry->Section("content"));
      EXPECT_EQ(text.size(), 50'000u);
      EXPECT_EQ(TextOfBytes(*entry->Section("again")), text);
    }
    EXPECT_EQ(store.damaged_entries(), 0u);
  }
}

// What any of them finds is whole and what the key says, while others write, replace and make room.
TEST_F(StoreProcessesTest, ManyWriteAndReadTheSameKeys) {
  constexpr int kKeys = 4;
  StoreOptions options = Options();
  options.limit_bytes = 3 * 120'000;  // one of the entries always has to go
  const auto use = [&](uint32_t seed) {
    const Store store = Open(options);
    for (int i = 0; i < 150; ++i) {
      seed = seed * 1664525 + 1013904223;
      const uint32_t which = (seed >> 16) % kKeys;
      const StoreKey key = KeyOf(std::to_string(which));
      const std::string text = NoisyText(100'000, which);
      auto entry = store.Find(key);
      if (entry.ok() && TextOfBytes(*entry->Section("content")) != text) return 1;
      const bool replaces = (seed >> 24) % 4 == 0;
      if (entry.ok() && !replaces) continue;
      // It may be refused where the others use all that there is.
      const absl::Status kept = Keep(store, key, {{"content", text}});
      if (!kept.ok() && !absl::IsResourceExhausted(kept)) return 2;
    }
    return store.damaged_entries() == 0 ? 0 : 3;
  };
  std::vector<std::unique_ptr<Child>> children;
  for (uint32_t i = 0; i < 3; ++i)
    children.push_back(std::make_unique<Child>([&, i](const auto&) { return use(i + 1); }));
  for (const auto& child : children) EXPECT_EQ(child->Wait(), 0);
  for (const std::string& file : Files()) EXPECT_THAT(file, ::testing::Not(StartsWith("new-")));
}

class StoreOpeningTest : public StoreFixture {
 protected:
  absl::Status Refusal(const std::string& folder) const {
    return Store::Open({.folder = folder}).status();
  }
};

TEST_F(StoreOpeningTest, UsesNoFolderThatOthersMayWriteTo) {
  Open();
  for (const mode_t mode : {0770, 0702}) {
    ASSERT_EQ(::chmod(folder_.c_str(), mode), 0);
    const absl::Status status = Refusal(folder_);
    EXPECT_TRUE(absl::IsFailedPrecondition(status));
    EXPECT_THAT(status.message(), ::testing::HasSubstr("others may write there; GORDIAN_STORE"));
  }
  ASSERT_EQ(::chmod(folder_.c_str(), 0755), 0);
  EXPECT_TRUE(Refusal(folder_).ok());
}

TEST_F(StoreOpeningTest, UsesNoFolderOfAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give folders away";
  Open();
  ASSERT_EQ(::chown(folder_.c_str(), 12345, 0), 0);
  EXPECT_THAT(Refusal(folder_).message(), ::testing::HasSubstr("it belongs to another user"));
}

TEST_F(StoreOpeningTest, FollowsNoSymbolicLinkAndUsesNoFile) {
  Open();
  const std::string link = temporary_ / "link";
  std::filesystem::create_symlink(folder_, link);
  EXPECT_TRUE(absl::IsFailedPrecondition(Refusal(link)));
  EXPECT_TRUE(absl::IsFailedPrecondition(Refusal(link + "/")));
  EXPECT_TRUE(absl::IsFailedPrecondition(Refusal(testing::WriteFile(temporary_ / "file", ""))));
  EXPECT_TRUE(absl::IsFailedPrecondition(Refusal(temporary_ / "file/analyses")));
}

TEST_F(StoreOpeningTest, LeavesFilesOfOtherNamesAlone) {
  StoreOptions options = Options();
  options.limit_bytes = 300'000;
  const Store store = Open(options);
  testing::WriteFile(folder_ + "/notes", NoisyText(1 << 20));
  std::filesystem::create_directory(folder_ + "/0123456789abcdef0123456789abcdef");
  for (const char* stage : {"one", "two", "three"})
    ASSERT_TRUE(KeepBytes(Open(options), KeyOf(stage), 150'000).ok());
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/notes"));
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/0123456789abcdef0123456789abcdef"));
  EXPECT_EQ(store.List().size(), 1u);
}

TEST(StoreEnvironment, NamesFolderAndLimit) {
  ::setenv("CACHE_DIRECTORY", "/var/cache/one", 1);
  ::unsetenv("GORDIAN_STORE");
  ::unsetenv("GORDIAN_STORE_LIMIT");
  EXPECT_EQ(StoreOptionsFromEnvironment()->folder, "/var/cache/one/analyses");
  EXPECT_EQ(StoreOptionsFromEnvironment()->limit_bytes, std::nullopt);
  ::setenv("GORDIAN_STORE", "/big/store", 1);
  ::setenv("GORDIAN_STORE_LIMIT", "1.5G", 1);
  EXPECT_EQ(StoreOptionsFromEnvironment()->folder, "/big/store");
  EXPECT_EQ(StoreOptionsFromEnvironment()->limit_bytes, uint64_t{3} << 29);
  ::setenv("GORDIAN_STORE", "", 1);
  EXPECT_EQ(StoreOptionsFromEnvironment()->folder, "");
  ::setenv("GORDIAN_STORE", "here", 1);
  EXPECT_THAT(StoreOptionsFromEnvironment().status().message(),
              ::testing::HasSubstr("GORDIAN_STORE='here' is no absolute path"));
  ::unsetenv("GORDIAN_STORE");
  ::setenv("GORDIAN_STORE_LIMIT", "much", 1);
  EXPECT_THAT(StoreOptionsFromEnvironment().status().message(),
              ::testing::HasSubstr("GORDIAN_STORE_LIMIT: "));
  ::unsetenv("GORDIAN_STORE_LIMIT");
}

TEST(StoreFileSystems, OfOtherMachinesAreNotUsed) {
  for (const uint64_t kind : {0xef53u, 0x58465342u, 0x9123683eu, 0x01021994u, 0x794c7630u})
    EXPECT_TRUE(IsLocalFileSystem(kind)) << kind;  // ext4, xfs, btrfs, tmpfs, overlayfs
  for (const uint64_t kind : {0x6969u, 0xff534d42u, 0xfe534d42u, 0x0bd00bd0u, 0x01021997u})
    EXPECT_FALSE(IsLocalFileSystem(kind)) << kind;  // nfs, cifs, smb2, lustre, 9p
}

}  // namespace
}  // namespace gordian
