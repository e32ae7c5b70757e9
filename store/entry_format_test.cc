// SPDX-License-Identifier: Apache-2.0
// Tables that a hash protects and yet break a rule.
#include "store/entry_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

namespace gordian {
namespace {

EntryTable Table() {
  EntryTable table;
  table.key = {.recording = "0123", .stage = "timeline", .format = 7, .options = "--from 1s"};
  table.recording_path = std::string("/a\nb\0c", 6);
  table.stored_realtime_ns = 12'345;
  const uint64_t page = PageBytes();
  table.sections = {{.name = "one", .bytes = 10, .chunks = {{page, 1}}},
                    {.name = "two",
                     .bytes = kChunkBytes + 1,
                     .chunks = {{2 * page + kChunkBytes, 2}, {2 * page, 3}}},
                    {.name = "none", .bytes = 0, .chunks = {}}};
  return table;
}

uint64_t TableOffset() { return 2 * PageBytes() + 2 * kChunkBytes; }

std::optional<EntryTable> Again(const EntryTable& table) {
  return DecodeTable(EncodeTable(table), TableOffset());
}

TEST(EntryFormat, GivesBackATable) { EXPECT_EQ(Again(Table()), Table()); }

TEST(EntryFormat, RefusesATableThatIsCutOrLonger) {
  const std::string good = EncodeTable(Table());
  // Without its last sections, which end where another may begin, it is another good table.
  const size_t none = EncodeTable({.key = Table().key,
                                   .recording_path = Table().recording_path,
                                   .stored_realtime_ns = 0,
                                   .sections = {}})
                          .size();
  for (size_t size = 0; size < none; ++size)
    EXPECT_EQ(DecodeTable(good.substr(0, size), TableOffset()), std::nullopt) << size;
  for (size_t size = none + 1; size < none + 15; ++size)
    EXPECT_EQ(DecodeTable(good.substr(0, size), TableOffset()), std::nullopt) << size;
  EXPECT_EQ(DecodeTable(good + "x", TableOffset()), std::nullopt);
}

TEST(EntryFormat, RefusesChunksThatDoNotLieInTheContent) {
  for (const uint64_t offset : {uint64_t{0}, PageBytes() + 1, PageBytes() / 2, TableOffset(),
                                TableOffset() - 1, UINT64_MAX, UINT64_MAX - PageBytes() + 1}) {
    EntryTable table = Table();
    table.sections[0].chunks[0].offset = offset;
    EXPECT_EQ(Again(table), std::nullopt) << offset;
  }
}

TEST(EntryFormat, RefusesChunksThatOverlap) {
  EntryTable table = Table();
  // Within the second's first.
  table.sections[0].chunks[0].offset = 3 * PageBytes() + kChunkBytes;
  EXPECT_EQ(Again(table), std::nullopt);
  table = Table();
  table.sections[1].chunks[0] = table.sections[1].chunks[1];
  EXPECT_EQ(Again(table), std::nullopt);
}

TEST(EntryFormat, RefusesAbsurdSizes) {
  for (const uint64_t bytes : {kChunkBytes + 1, UINT64_MAX, UINT64_MAX / 2, uint64_t{1} << 40}) {
    EntryTable table = Table();
    table.sections.resize(1);
    table.sections[0].bytes = bytes;
    EXPECT_EQ(Again(table), std::nullopt) << bytes;
    EXPECT_EQ(DecodeTable(EncodeTable(table), UINT64_MAX), std::nullopt) << bytes;
  }
}

TEST(EntryFormat, RefusesNamesThatAreMissingOrTwice) {
  EntryTable table = Table();
  table.sections[2].name = "one";
  EXPECT_EQ(Again(table), std::nullopt);
  table.sections[2].name = "";
  EXPECT_EQ(Again(table), std::nullopt);
}

RC_GTEST_PROP(EntryFormat, DecodesAnyBytesToATableThatKeepsTheRules, (const std::string& tail)) {
  std::string bytes = EncodeTable(Table());
  const auto at = *rc::gen::inRange<size_t>(0, bytes.size());
  bytes.replace(at, tail.size(), tail);
  const auto table = DecodeTable(bytes, TableOffset());
  if (!table) return;
  RC_ASSERT(EncodeTable(*table) == bytes);
  for (const StoredSection& section : table->sections) {
    RC_ASSERT(section.chunks.size() == ChunkCount(section.bytes));
    for (size_t i = 0; i < section.chunks.size(); ++i)
      RC_ASSERT(section.chunks[i].offset + ChunkBytes(section.bytes, i) <= TableOffset());
  }
}

TEST(EntryFormat, CountsChunks) {
  EXPECT_EQ(ChunkCount(0), 0u);
  EXPECT_EQ(ChunkCount(1), 1u);
  EXPECT_EQ(ChunkCount(kChunkBytes), 1u);
  EXPECT_EQ(ChunkCount(kChunkBytes + 1), 2u);
  EXPECT_EQ(ChunkCount(UINT64_MAX), UINT64_MAX / kChunkBytes + 1);
  EXPECT_EQ(ChunkBytes(kChunkBytes + 1, 0), kChunkBytes);
  EXPECT_EQ(ChunkBytes(kChunkBytes + 1, 1), 1u);
}

}  // namespace
}  // namespace gordian
