// SPDX-License-Identifier: Apache-2.0
// Whatever happens to an entry's file, it gives back what was kept, or nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "schema/session.pb.h"
#include "store/entry_format.h"
#include "store/store.h"
#include "store/store_fixture.h"

namespace gordian {
namespace {

namespace fs = std::filesystem;
using testing::ReadFile;
using testing::WriteFile;

const SectionTexts kSmall = {{"edges", "one and two"}, {"nodes", NoisyText(9'000)}, {"none", ""}};

class StoreDamageTest : public StoreFixture {
 protected:
  // The file of an entry with these sections, which is not there any more.
  std::string FileOf(const SectionTexts& sections) const {
    const Store store = Open();
    EXPECT_TRUE(Keep(store, KeyOf("timeline"), sections).ok());
    path_ = PathOf(store, KeyOf("timeline"));
    std::string bytes = ReadFile(path_);
    fs::remove(path_);
    return bytes;
  }

  // Puts these bytes in the entry's place. The sections that can be read are as they were kept;
  // what was found to be damaged is counted, and gone.
  bool IsHarmless(const std::string& bytes, const SectionTexts& sections) const {
    WriteFile(path_, bytes);
    ::chmod(path_.c_str(), 0600);
    const Store store = Open();
    auto entry = store.Find(KeyOf("timeline"));
    bool is_whole = entry.ok();
    for (const auto& [name, text] : sections) {
      if (!entry.ok()) break;
      const auto section = entry->Section(name);
      if (section.ok() && TextOfBytes(*section) != text) return false;
      is_whole = is_whole && section.ok();
    }
    return fs::exists(path_) == is_whole && store.damaged_entries() == (is_whole ? 0u : 1u);
  }
  // Besides, some of it is noticed.
  bool IsNoticed(const std::string& bytes, const SectionTexts& sections) const {
    return IsHarmless(bytes, sections) && !fs::exists(path_);
  }

  mutable std::string path_;
};

TEST_F(StoreDamageTest, IsNoticedInAnyByteThatSaysSomething) {
  const std::string good = FileOf(kSmall);
  ASSERT_TRUE(IsHarmless(good, kSmall));
  ASSERT_TRUE(fs::exists(path_));
  const size_t table_offset = 4 * PageBytes() + PageBytes();  // one page of edges, three of nodes
  for (size_t at = 0; at < good.size();
       at += at < kEntryHeaderBytes || at >= table_offset ? 1 : 97) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    const bool is_gap =
        (at >= kEntryHeaderBytes && at < PageBytes()) || (good[at] == '\0' && at < table_offset);
    EXPECT_TRUE(is_gap ? IsHarmless(bad, kSmall) : IsNoticed(bad, kSmall)) << "byte " << at;
  }
}

RC_GTEST_FIXTURE_PROP(StoreDamageTest, OfAnyBitsIsHarmless, ()) {
  const std::string good = FileOf(kSmall);
  std::string bad = good;
  for (const size_t bit : *rc::gen::nonEmpty(
           rc::gen::container<std::vector<size_t>>(rc::gen::inRange<size_t>(0, good.size() * 8))))
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ 1 << bit % 8);
  RC_ASSERT(IsHarmless(bad, kSmall));
}

RC_GTEST_FIXTURE_PROP(StoreDamageTest, OfASizeIsNoticed, ()) {
  const std::string good = FileOf(kSmall);
  std::string bad = good;
  bad.resize(*rc::gen::oneOf(rc::gen::inRange<size_t>(0, good.size()),
                             rc::gen::inRange<size_t>(good.size() + 1, good.size() * 2)));
  RC_ASSERT(IsNoticed(bad, kSmall));
}

RC_GTEST_FIXTURE_PROP(StoreDamageTest, OfAStretchThatMovedIsHarmless, ()) {
  const std::string good = FileOf(kSmall);
  std::string bad = good;
  const auto from = *rc::gen::inRange<size_t>(0, good.size());
  const auto to = *rc::gen::inRange<size_t>(0, good.size());
  const size_t bytes = *rc::gen::inRange<size_t>(0, good.size() - std::max(from, to));
  bad.replace(to, bytes, good, from, bytes);
  RC_ASSERT(IsHarmless(bad, kSmall));
}

TEST_F(StoreDamageTest, OfSwappedSectionsIsNoticed) {
  const SectionTexts sections = {{"a", NoisyText(PageBytes(), 1)},
                                 {"b", NoisyText(PageBytes(), 2)}};
  const std::string good = FileOf(sections);
  std::string bad = good;
  bad.replace(PageBytes(), PageBytes(), good, 2 * PageBytes(), PageBytes());
  bad.replace(2 * PageBytes(), PageBytes(), good, PageBytes(), PageBytes());
  EXPECT_TRUE(IsNoticed(bad, sections));
}

TEST_F(StoreDamageTest, OfAPartLeavesTheOtherParts) {
  const std::string text = NoisyText(3 * kChunkBytes);
  std::string bytes = FileOf({{"content", text}});
  bytes[PageBytes() + kChunkBytes + 5] ^= 1;
  WriteFile(path_, bytes);
  ::chmod(path_.c_str(), 0600);
  const Store store = Open();
  auto entry = store.Find(KeyOf("timeline"));
  ASSERT_TRUE(entry.ok());
  EXPECT_EQ(TextOfBytes(*entry->Part("content", 0, 10)), text.substr(0, 10));
  EXPECT_TRUE(absl::IsDataLoss(entry->Part("content", kChunkBytes, 10).status()));
  EXPECT_TRUE(absl::IsDataLoss(entry->Section("content").status()));
  EXPECT_EQ(TextOfBytes(*entry->Part("content", 2 * kChunkBytes, 10)),
            text.substr(2 * kChunkBytes, 10));
  EXPECT_EQ(store.damaged_entries(), 1u);
  EXPECT_FALSE(fs::exists(path_));
}

// All small sections are read at once.
TEST_F(StoreDamageTest, OfASmallSectionLeavesTheOthers) {
  std::string bytes = FileOf({{"a", "one"}, {"b", "two"}, {"c", "three"}});
  bytes[2 * PageBytes()] ^= 1;
  WriteFile(path_, bytes);
  ::chmod(path_.c_str(), 0600);
  const Store store = Open();
  auto entry = store.Find(KeyOf("timeline"));
  ASSERT_TRUE(entry.ok());
  EXPECT_EQ(TextOfBytes(*entry->Section("a")), "one");
  EXPECT_EQ(store.damaged_entries(), 0u);
  EXPECT_TRUE(absl::IsDataLoss(entry->Section("b").status()));
  EXPECT_EQ(store.damaged_entries(), 1u);
  EXPECT_EQ(TextOfBytes(*entry->Section("c")), "three");
}

TEST_F(StoreDamageTest, LeavesANewEntryOfItsNameAlone) {
  std::string bytes = FileOf({{"content", "old"}});
  bytes[PageBytes()] ^= 1;
  WriteFile(path_, bytes);
  ::chmod(path_.c_str(), 0600);
  const Store store = Open();
  auto entry = store.Find(KeyOf("timeline"));
  ASSERT_TRUE(entry.ok());
  ASSERT_TRUE(Keep(store, KeyOf("timeline"), {{"content", "new"}}).ok());
  EXPECT_TRUE(absl::IsDataLoss(entry->Section("content").status()));
  EXPECT_EQ(TextOfBytes(*store.Find(KeyOf("timeline"))->Section("content")), "new");
}

// A file that becomes shorter while it is used makes no difference, as long as nobody looks there.
TEST_F(StoreDamageTest, OfAFileCutWhileItIsOpenIsNoticed) {
  const Store store = Open();
  ASSERT_TRUE(KeepBytes(store, KeyOf("timeline"), 3 * kChunkBytes).ok());
  auto entry = store.Find(KeyOf("timeline"));
  ASSERT_TRUE(entry.ok());
  ASSERT_EQ(::truncate(PathOf(store, KeyOf("timeline")).c_str(), 2 * kChunkBytes), 0);
  EXPECT_TRUE(absl::IsDataLoss(entry->Section("content").status()));
}

TEST_F(StoreDamageTest, OfAnotherKeyIsNoticed) {
  const Store store = Open();
  ASSERT_TRUE(KeepBytes(store, KeyOf("one"), 10).ok());
  ASSERT_TRUE(KeepBytes(store, KeyOf("two"), 10).ok());
  fs::rename(PathOf(store, KeyOf("one")), PathOf(store, KeyOf("two")));
  EXPECT_TRUE(absl::IsNotFound(store.Find(KeyOf("two")).status()));
  EXPECT_EQ(store.damaged_entries(), 1u);
  EXPECT_TRUE(Files().empty());
}

TEST_F(StoreDamageTest, OfContentThatIsNotWhatItsReaderWantsIsNoticed) {
  const Store store = Open();
  ASSERT_TRUE(Keep(store, KeyOf("timeline"), {{"content", "\xff\xff\xff"}}).ok());
  EXPECT_TRUE(
      absl::IsDataLoss(store.Find(KeyOf("timeline"))->Column<uint32_t>("content").status()));
  ASSERT_TRUE(Keep(store, KeyOf("timeline"), {{"content", "\xff\xff\xff"}}).ok());
  pb::Session message;
  EXPECT_TRUE(absl::IsDataLoss(store.Find(KeyOf("timeline"))->Message("content", message)));
  EXPECT_EQ(store.damaged_entries(), 2u);
  EXPECT_TRUE(Files().empty());
}

TEST_F(StoreDamageTest, OfForeignFilesIsNoticed) {
  const Store store = Open();
  const auto is_refused = [&](const std::function<void(const std::string& path)>& change) {
    EXPECT_TRUE(KeepBytes(store, KeyOf("timeline"), 10).ok());
    const std::string path = PathOf(store, KeyOf("timeline"));
    const uint64_t before = store.damaged_entries();
    change(path);
    return absl::IsNotFound(store.Find(KeyOf("timeline")).status()) &&
           store.damaged_entries() == before + 1 && Files().empty();
  };
  EXPECT_TRUE(is_refused([](const std::string& path) { ::chmod(path.c_str(), 0620); }));
  EXPECT_TRUE(is_refused([](const std::string& path) { ::chmod(path.c_str(), 0602); }));
  EXPECT_TRUE(is_refused([&](const std::string& path) {
    const std::string aside = temporary_ / "aside";
    fs::rename(path, aside);
    fs::create_symlink(aside, path);
  }));
  EXPECT_TRUE(is_refused([](const std::string& path) {
    fs::remove(path);
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  }));
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  EXPECT_TRUE(
      is_refused([](const std::string& path) { ASSERT_EQ(::chown(path.c_str(), 12345, 0), 0); }));
}

}  // namespace
}  // namespace gordian
