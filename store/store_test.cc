// SPDX-License-Identifier: Apache-2.0
#include "store/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <thread>
#include <vector>

#include "schema/session.pb.h"
#include "store/entry_format.h"
#include "store/store_fixture.h"

namespace gordian {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Edge {
  uint32_t from;
  uint32_t to;
  uint64_t weight_ns;
  bool operator==(const Edge&) const = default;
};

class StoreTest : public StoreFixture {};

TEST_F(StoreTest, GivesBackWhatWasKept) {
  const Store store = Open();
  const std::vector<Edge> edges = {{1, 2, 30}, {4, 5, 60}};
  pb::Session session;
  session.set_name("one");
  auto writer = store.Begin(KeyOf("timeline"), "/recordings/one");
  ASSERT_TRUE(writer.ok()) << writer.status();
  writer->AddColumn<Edge>("edges", edges);
  writer->AddMessage("session", session);
  writer->AddBytes("nothing", {});
  ASSERT_TRUE(writer->Commit().ok());

  auto entry = Open().Find(KeyOf("timeline"));
  ASSERT_TRUE(entry.ok()) << entry.status();
  const auto column = entry->Column<Edge>("edges");
  ASSERT_TRUE(column.ok()) << column.status();
  EXPECT_TRUE(std::equal(column->begin(), column->end(), edges.begin(), edges.end()));
  pb::Session read;
  ASSERT_TRUE(entry->Message("session", read).ok());
  EXPECT_EQ(read.name(), "one");
  EXPECT_THAT(*entry->Section("nothing"), IsEmpty());
  EXPECT_TRUE(entry->Has("edges"));
  EXPECT_FALSE(entry->Has("nodes"));
  EXPECT_EQ(*entry->SectionBytes("edges"), sizeof(Edge) * 2);
  EXPECT_TRUE(absl::IsNotFound(entry->Section("nodes").status()));
}

TEST_F(StoreTest, KeepsItsFilesToItself) {
  const Store store = Open();
  ASSERT_TRUE(KeepBytes(store, KeyOf("timeline"), 100).ok());
  struct stat status = {};
  ASSERT_EQ(::stat(folder_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  ASSERT_EQ(::stat(PathOf(store, KeyOf("timeline")).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(StoreTest, FindsOnlyTheSameKey) {
  const Store store = Open();
  const StoreKey key = KeyOf("timeline");
  ASSERT_TRUE(KeepBytes(store, key, 100).ok());
  StoreKey recording = key;
  StoreKey stage = key;
  StoreKey format = key;
  StoreKey options = key;
  recording.recording += "4";
  stage.stage = "report";
  ++format.format;
  options.options = "";
  // Parts that only together say the same.
  const StoreKey shifted = {
      .recording = "0123t", .stage = "imeline", .format = 1, .options = key.options};
  for (const StoreKey& other : {recording, stage, format, options, shifted})
    EXPECT_TRUE(absl::IsNotFound(store.Find(other).status()));
  EXPECT_TRUE(store.Find(key).ok());
  EXPECT_EQ(store.damaged_entries(), 0u);
}

TEST_F(StoreTest, KeepsNothingWithoutAFolder) {
  const Store store = Open({.folder = ""});
  EXPECT_FALSE(store.keeps_something());
  EXPECT_TRUE(absl::IsNotFound(store.Find(KeyOf("timeline")).status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(store.Begin(KeyOf("timeline"), "").status()));
  EXPECT_THAT(store.List(), IsEmpty());
  EXPECT_EQ(store.limit_bytes(), 0u);
}

TEST_F(StoreTest, ShowsNothingOfWhatIsNotCommitted) {
  const Store store = Open();
  {
    auto writer = store.Begin(KeyOf("timeline"), "/recordings/one");
    ASSERT_TRUE(writer.ok());
    writer->AddBytes("content", BytesOfText(NoisyText(5 << 20)));
    ASSERT_TRUE(writer->MappedSection("mapped", 1 << 20).ok());
    EXPECT_TRUE(absl::IsNotFound(store.Find(KeyOf("timeline")).status()));
    EXPECT_THAT(store.List(), IsEmpty());
  }
  EXPECT_THAT(Files(), IsEmpty());
}

TEST_F(StoreTest, ReplacesAnEntryWhoseReadersKeepTheOldOne) {
  const Store store = Open();
  ASSERT_TRUE(Keep(store, KeyOf("timeline"), {{"content", "old"}}).ok());
  auto before = store.Find(KeyOf("timeline"));
  ASSERT_TRUE(before.ok());
  ASSERT_TRUE(Keep(store, KeyOf("timeline"), {{"content", "newer"}}).ok());
  EXPECT_EQ(TextOfBytes(*store.Find(KeyOf("timeline"))->Section("content")), "newer");
  EXPECT_EQ(TextOfBytes(*before->Section("content")), "old");
  EXPECT_EQ(Files().size(), 1u);
}

TEST_F(StoreTest, GivesSectionsThatOutliveTheEntrysFileAndTheStore) {
  const std::string text = NoisyText(3 << 20);
  auto entry = [&] {
    const Store store = Open();
    EXPECT_TRUE(Keep(store, KeyOf("timeline"), {{"content", text}}).ok());
    auto found = store.Find(KeyOf("timeline"));
    EXPECT_TRUE(found.ok());
    EXPECT_TRUE(store.Remove(store.List().front()));
    return *std::move(found);
  }();
  EXPECT_THAT(Files(), IsEmpty());
  EXPECT_EQ(TextOfBytes(*entry.Section("content")), text);
}

TEST_F(StoreTest, ListsWhatIsKeptTheLastUsedFirst) {
  const Store store = Open();
  for (const char* stage : {"one", "two", "three"})
    ASSERT_TRUE(KeepBytes(store, KeyOf(stage), 100).ok());
  for (const char* stage : {"one", "two", "three"}) SetUsed(PathOf(store, KeyOf(stage)), 1000);
  ASSERT_TRUE(store.Find(KeyOf("two")).ok());
  const auto analyses = store.List();
  ASSERT_EQ(analyses.size(), 3u);
  EXPECT_EQ(analyses[0].key, KeyOf("two"));
  EXPECT_EQ(analyses[0].recording_path, "/recordings/one");
  EXPECT_GT(analyses[0].used_realtime_ns, analyses[1].used_realtime_ns);
  EXPECT_GT(analyses[0].stored_realtime_ns, 0);
  EXPECT_GT(analyses[0].bytes, 100u);
  EXPECT_TRUE(store.Remove(analyses[0]));
  EXPECT_FALSE(store.Remove(analyses[0]));
  EXPECT_EQ(store.List().size(), 2u);
  EXPECT_TRUE(absl::IsNotFound(store.Find(KeyOf("two")).status()));
}

TEST_F(StoreTest, GrowsSectionsBesideEachOther) {
  const Store store = Open();
  const std::string left = NoisyText(5'000'000, 1);
  const std::string right = NoisyText(2 * kChunkBytes, 2);
  auto writer = store.Begin(KeyOf("timeline"), "");
  ASSERT_TRUE(writer.ok());
  GrowingSection left_section = writer->Grow("left");
  GrowingSection right_section = writer->Grow("right");
  const size_t step = 300'001;
  for (size_t at = 0; at < left.size(); at += step) {
    left_section.Append(BytesOfText(std::string_view(left).substr(at, step)));
    if (at < right.size())
      right_section.Append(BytesOfText(std::string_view(right).substr(at, step)));
  }
  ASSERT_TRUE(writer->Commit().ok());
  auto entry = store.Find(KeyOf("timeline"));
  ASSERT_TRUE(entry.ok());
  EXPECT_EQ(TextOfBytes(*entry->Section("left")), left);
  EXPECT_EQ(TextOfBytes(*entry->Section("right")), right);
}

TEST_F(StoreTest, TakesSectionsFromSeveralThreads) {
  const Store store = Open();
  auto writer = store.Begin(KeyOf("timeline"), "");
  ASSERT_TRUE(writer.ok());
  const auto mapped = writer->MappedSection("mapped", 3 << 20);
  ASSERT_TRUE(mapped.ok());
  {
    std::vector<std::jthread> threads;
    for (uint32_t i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] {
        auto column = writer->GrowColumn<uint32_t>("column " + std::to_string(i));
        std::vector<uint32_t> values(100'000);
        std::iota(values.begin(), values.end(), i);
        for (int times = 0; times < 20; ++times) column.Append(values);
        column.Append(i);
      });
    }
    std::fill(mapped->begin(), mapped->end(), std::byte{7});
  }
  ASSERT_TRUE(writer->Commit().ok());
  auto entry = store.Find(KeyOf("timeline"));
  ASSERT_TRUE(entry.ok());
  for (uint32_t i = 0; i < 4; ++i) {
    const auto column = entry->Column<uint32_t>("column " + std::to_string(i));
    ASSERT_TRUE(column.ok()) << column.status();
    ASSERT_EQ(column->size(), 2'000'001u);
    for (size_t at = 0; at + 1 < column->size(); ++at) ASSERT_EQ((*column)[at], i + at % 100'000);
    EXPECT_EQ(column->back(), i);
  }
  EXPECT_EQ(TextOfBytes(*entry->Section("mapped")), std::string(3 << 20, '\7'));
}

TEST_F(StoreTest, MapsSectionsToBeFilled) {
  const Store store = Open();
  const std::string text = NoisyText(5'000'001);
  auto writer = store.Begin(KeyOf("timeline"), "");
  ASSERT_TRUE(writer.ok());
  writer->AddBytes("before", BytesOfText("x"));
  const auto bytes = writer->MappedSection("mapped", text.size());
  const auto empty = writer->MappedSection("empty", 0);
  ASSERT_TRUE(bytes.ok() && empty.ok());
  EXPECT_TRUE(
      std::all_of(bytes->begin(), bytes->end(), [](std::byte b) { return b == std::byte{}; }));
  EXPECT_THAT(*empty, IsEmpty());
  std::copy(text.begin(), text.end(), reinterpret_cast<char*>(bytes->data()));
  writer->AddBytes("after", BytesOfText("y"));
  ASSERT_TRUE(writer->Commit().ok());
  EXPECT_EQ(TextOfBytes(*bytes), text);  // still there to be read
  auto entry = store.Find(KeyOf("timeline"));
  ASSERT_TRUE(entry.ok());
  EXPECT_EQ(TextOfBytes(*entry->Section("mapped")), text);
  EXPECT_THAT(*entry->Section("empty"), IsEmpty());
  EXPECT_EQ(TextOfBytes(*entry->Section("before")), "x");
  EXPECT_EQ(TextOfBytes(*entry->Section("after")), "y");
}

TEST_F(StoreTest, GivesMemoryToChangeThatTheFileDoesNotSee) {
  const Store store = Open();
  ASSERT_TRUE(Keep(store, KeyOf("timeline"), {{"content", NoisyText(3 << 20)}}).ok());
  auto entry = store.Find(KeyOf("timeline"));
  ASSERT_TRUE(entry.ok());
  auto bytes = entry->MutableColumn<char>("content");
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  std::fill(bytes->begin(), bytes->end(), 'x');
  EXPECT_EQ(TextOfBytes(*entry->Section("content")), std::string(3 << 20, 'x'));
  EXPECT_EQ(TextOfBytes(*store.Find(KeyOf("timeline"))->Section("content")), NoisyText(3 << 20));
}

uint64_t MappedBytes(const StoredEntry& entry) {
  uint64_t bytes = 0;
  for (const std::span<const std::byte> one : entry.Mapped()) bytes += one.size();
  return bytes;
}

TEST_F(StoreTest, TellsWhatItMappedUnlessItMayBeChanged) {
  const Store store = Open();
  for (const size_t bytes : {size_t{5000}, size_t{3} << 20}) {
    const std::string text = NoisyText(bytes);
    ASSERT_TRUE(Keep(store, KeyOf("timeline"), {{"one", text}, {"other", text}}).ok());
    auto entry = store.Find(KeyOf("timeline"));
    ASSERT_TRUE(entry.ok());
    EXPECT_EQ(MappedBytes(*entry), 0u);
    const auto section = entry->Section("other");
    ASSERT_TRUE(section.ok());
    EXPECT_GE(MappedBytes(*entry), bytes);
    // As whoever gives its pages back.
    for (const std::span<const std::byte> one : entry->Mapped())
      ASSERT_EQ(::madvise(const_cast<std::byte*>(one.data()), one.size(), MADV_DONTNEED), 0);
    EXPECT_EQ(TextOfBytes(*section), text);
    ASSERT_TRUE(entry->MutableSection("other").ok());
    EXPECT_EQ(MappedBytes(*entry), 0u);
  }
}

TEST_F(StoreTest, GivesPartsOfSections) {
  const Store store = Open();
  const std::string text = NoisyText(5'000'000);
  ASSERT_TRUE(Keep(store, KeyOf("timeline"), {{"content", text}}).ok());
  auto entry = store.Find(KeyOf("timeline"));
  ASSERT_TRUE(entry.ok());
  EXPECT_EQ(TextOfBytes(*entry->Part("content", kChunkBytes - 5, 10)),
            text.substr(kChunkBytes - 5, 10));
  EXPECT_EQ(TextOfBytes(*entry->Part("content", text.size(), 0)), "");
  const auto values = entry->ColumnPart<uint32_t>("content", 1'000'000, 250'000);
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ(TextOfBytes(std::as_bytes(*values)), text.substr(4'000'000));
  EXPECT_TRUE(absl::IsOutOfRange(entry->Part("content", text.size(), 1).status()));
  EXPECT_TRUE(absl::IsOutOfRange(entry->Part("content", 1, UINT64_MAX).status()));
  EXPECT_TRUE(absl::IsOutOfRange(entry->ColumnPart<uint32_t>("content", 1, SIZE_MAX / 4).status()));
  EXPECT_TRUE(absl::IsOutOfRange(entry->ColumnPart<uint32_t>("content", SIZE_MAX / 2, 1).status()));
}

TEST_F(StoreTest, KeepsTheFirstFailureUntilCommit) {
  const Store store = Open();
  auto writer = store.Begin(KeyOf("timeline"), "");
  ASSERT_TRUE(writer.ok());
  writer->AddBytes("twice", BytesOfText("a"));
  EXPECT_TRUE(writer->status().ok());
  writer->AddBytes("twice", BytesOfText("b"));
  writer->AddBytes("", BytesOfText("c"));
  EXPECT_TRUE(absl::IsInvalidArgument(writer->status()));
  EXPECT_FALSE(writer->MappedSection("mapped", 10).ok());
  EXPECT_EQ(writer->Commit(), writer->status());
  EXPECT_THAT(writer->status().message(), ::testing::HasSubstr("'twice'"));
  EXPECT_THAT(Files(), IsEmpty());
}

TEST_F(StoreTest, KeepsTextsOfAnySizeThatItCanReadAgain) {
  const Store store = Open();
  StoreKey key = KeyOf("timeline");
  key.options.assign(kMaxTextBytes, 'o');
  ASSERT_TRUE(KeepBytes(store, key, 10).ok());
  EXPECT_TRUE(store.Find(key).ok());
  key.options += 'o';
  EXPECT_TRUE(absl::IsInvalidArgument(KeepBytes(store, key, 10)));
}

TEST_F(StoreTest, CommitsOnce) {
  const Store store = Open();
  auto writer = store.Begin(KeyOf("timeline"), "");
  ASSERT_TRUE(writer.ok());
  writer->AddBytes("content", BytesOfText("a"));
  ASSERT_TRUE(writer->Commit().ok());
  writer->AddBytes("late", BytesOfText(NoisyText(3 << 20)));
  EXPECT_FALSE(writer->Commit().ok());
  auto entry = store.Find(KeyOf("timeline"));
  ASSERT_TRUE(entry.ok());
  EXPECT_FALSE(entry->Has("late"));
}

// Any sections, each written in one of the ways, come back as they were.
RC_GTEST_FIXTURE_PROP(StoreTest, GivesBackAnySections, ()) {
  const Store store = Open();
  const auto sizes = *rc::gen::container<std::vector<uint32_t>>(rc::gen::weightedOneOf<uint32_t>(
      {{8, rc::gen::inRange<uint32_t>(0, 20'000)},
       {1, rc::gen::inRange<uint32_t>(kChunkBytes - 2, kChunkBytes + 3)},
       {1, rc::gen::inRange<uint32_t>(0, 3 * kChunkBytes)}}));
  auto writer = store.Begin(KeyOf("any"), "");
  RC_ASSERT(writer.ok());
  std::map<std::string, std::string> written;
  for (const uint32_t size : sizes) {
    const std::string name = std::to_string(written.size());
    const std::string text = written[name] = NoisyText(size, size + 1);
    switch (*rc::gen::inRange(0, 3)) {
      case 0:
        writer->AddBytes(name, BytesOfText(text));
        break;
      case 1: {
        GrowingSection section = writer->Grow(name);
        const size_t step = *rc::gen::inRange<size_t>(1'000, 3 << 20);
        for (size_t at = 0; at < text.size(); at += step)
          section.Append(BytesOfText(std::string_view(text).substr(at, step)));
        break;
      }
      default: {
        const auto bytes = writer->MappedSection(name, size);
        RC_ASSERT(bytes.ok());
        std::copy(text.begin(), text.end(), reinterpret_cast<char*>(bytes->data()));
      }
    }
  }
  RC_ASSERT(writer->Commit().ok());
  auto entry = store.Find(KeyOf("any"));
  RC_ASSERT(entry.ok());
  for (const auto& [name, text] : written) {
    const auto bytes = entry->Section(name);
    RC_ASSERT(bytes.ok());
    RC_ASSERT(TextOfBytes(*bytes) == text);
  }
}

}  // namespace
}  // namespace gordian
