// SPDX-License-Identifier: Apache-2.0
#include "recorder/stacks/unwind_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<UnwindRow> Rows(uint32_t count, uint32_t step = 16) {
  std::vector<UnwindRow> rows(count);
  for (uint32_t i = 0; i < count; ++i) rows[i].address = i * step;
  return rows;
}

Mapping Code(uint64_t start, uint64_t end, uint64_t file_offset = 0x1000) {
  return {.start = start,
          .end = end,
          .file_offset = file_offset,
          .kind = MappingKind::kFile,
          .segments = {{.file_offset = 0, .size_bytes = 0x1000, .address = 0x400000},
                       {.file_offset = 0x1000, .size_bytes = 0x100000, .address = 0x402000}}};
}

// Which range the kernel side would find.
const gd_unwind_range& RangeOf(const std::vector<gd_unwind_range>& ranges, uint64_t address) {
  const auto after = std::upper_bound(
      ranges.begin(), ranges.end(), address,
      [](uint64_t wanted, const gd_unwind_range& range) { return wanted < range.start; });
  return *std::prev(after);
}

std::vector<gd_unwind_range> LayOut(const std::vector<Mapping>& mappings,
                                    const PlacedTable* table) {
  uint64_t left_out = 0;
  auto ranges = LayOutRanges(
      {.mappings = mappings}, [&](const Mapping&) { return table; }, left_out);
  EXPECT_EQ(left_out, 0u);
  EXPECT_EQ(ranges.front().start, 0u) << "every address is in some range";
  for (size_t i = 1; i < ranges.size(); ++i) EXPECT_LT(ranges[i - 1].start, ranges[i].start);
  return ranges;
}

TEST(ChunkSpace, FillsOneChunkAfterTheOther) {
  ChunkSpace space;
  EXPECT_THAT(space.Take(Rows(30000)), ElementsAre(RowPiece{.chunk = 0, .rows = 30000}));
  EXPECT_THAT(space.Take(Rows(40000)),
              ElementsAre(RowPiece{.chunk = 0, .first_row = 30000, .rows = 2768},
                          RowPiece{.first_address = 2768 * 16, .chunk = 1, .rows = 32768},
                          RowPiece{.first_address = 35536 * 16, .chunk = 2, .rows = 4464}));
}

TEST(ChunkSpace, GivesAllOrNothing) {
  ChunkSpace space(2);
  EXPECT_THAT(space.Take(Rows(65537)), IsEmpty());
  EXPECT_THAT(space.Take(Rows(65536)), SizeIs(2));
  EXPECT_THAT(space.Take(Rows(1)), IsEmpty());
  EXPECT_THAT(space.Take({}), IsEmpty());
}

TEST(UnwindRanges, LeadFromAnAddressToTheRowsOfItsFile) {
  const PlacedTable table{
      .base = 0x400000,
      .pieces = {{.first_address = 0x2010, .chunk = 7, .first_row = 5, .rows = 9}}};
  const auto ranges = LayOut({Code(0x7f0000001000, 0x7f0000003000)}, &table);
  const gd_unwind_range& range = RangeOf(ranges, 0x7f0000001234);
  EXPECT_EQ(range.chunk, 7u);
  EXPECT_EQ(range.first_row, 5u);
  EXPECT_EQ(range.rows, 9u);
  EXPECT_EQ(0x7f0000001234 - range.bias, 0x2234u) << "0x402234 in the file, less the base";
  EXPECT_EQ(RangeOf(ranges, 0x7f0000000fff).chunk, GD_UNWIND_OUTSIDE);
  EXPECT_EQ(RangeOf(ranges, 0x7f0000003000).chunk, GD_UNWIND_OUTSIDE);
}

// A linker may begin a segment in the middle of a page: the kernel maps the page from its start.
TEST(UnwindRanges, ASegmentMayBeginWithinAPageThatItSharesWithAnother) {
  const PlacedTable table{.pieces = {{.rows = 1}}};
  Mapping mapping = Code(0x10000, 0x20000);
  mapping.segments = {{.file_offset = 0, .size_bytes = 0x1800, .address = 0},
                      {.file_offset = 0x1800, .size_bytes = 0x8000, .address = 0x2800}};
  const auto ranges = LayOut({mapping}, &table);
  EXPECT_EQ(0x10900 - RangeOf(ranges, 0x10900).bias, 0x2900u);
}

TEST(UnwindRanges, ATableInSeveralChunksHasARangeForEach) {
  const PlacedTable table{.base = 0x400000,
                          .pieces = {{.first_address = 0x1000, .chunk = 0, .rows = 10},
                                     {.first_address = 0x2800, .chunk = 1, .rows = 32768},
                                     {.first_address = 0x4000, .chunk = 2, .rows = 10},
                                     {.first_address = 0x9000, .chunk = 3, .rows = 10}}};
  // In the file 0x402000 to 0x406000, less the base 0x2000 to 0x6000.
  const auto ranges = LayOut({Code(0x10000, 0x14000)}, &table);
  EXPECT_THAT(ranges, SizeIs(5)) << "before, three pieces, behind";
  EXPECT_EQ(RangeOf(ranges, 0x10000).chunk, 0u);
  EXPECT_EQ(RangeOf(ranges, 0x107ff).chunk, 0u);
  EXPECT_EQ(RangeOf(ranges, 0x10800).chunk, 1u);
  EXPECT_EQ(RangeOf(ranges, 0x10800).rows, 0u) << "all of a chunk";
  EXPECT_EQ(RangeOf(ranges, 0x12000).chunk, 2u);
  EXPECT_EQ(RangeOf(ranges, 0x13fff).chunk, 2u);
  EXPECT_EQ(RangeOf(ranges, 0x14000).chunk, GD_UNWIND_OUTSIDE);
}

TEST(UnwindRanges, CodeWithoutATableIsToldFromWhereNoCodeIs) {
  const auto ranges =
      LayOut({Code(0x1000, 0x2000), Code(0x2000, 0x3000), Code(0x9000, 0xa000)}, nullptr);
  EXPECT_THAT(ranges, SizeIs(5)) << "neighbours are one";
  EXPECT_EQ(RangeOf(ranges, 0x2fff).chunk, GD_UNWIND_NO_TABLE);
  EXPECT_EQ(RangeOf(ranges, 0x3000).chunk, GD_UNWIND_OUTSIDE);
  EXPECT_EQ(RangeOf(ranges, 0x9000).chunk, GD_UNWIND_NO_TABLE);
  EXPECT_EQ(RangeOf(ranges, UINT64_MAX).chunk, GD_UNWIND_OUTSIDE);
}

TEST(UnwindRanges, AProcessWithoutCodeHasOneRange) { EXPECT_THAT(LayOut({}, nullptr), SizeIs(1)); }

TEST(UnwindRanges, MappingsBeyondTheRoomAreCountedAndOutside) {
  std::vector<Mapping> mappings;
  for (uint64_t i = 1; i <= 600; ++i) mappings.push_back(Code(i * 0x10000, i * 0x10000 + 0x1000));
  uint64_t left_out = 0;
  const auto ranges = LayOutRanges(
      {.mappings = mappings}, [](const Mapping&) { return nullptr; }, left_out);
  EXPECT_LE(ranges.size(), GD_UNWIND_RANGES);
  EXPECT_EQ(left_out, 89u);
  EXPECT_EQ(RangeOf(ranges, 511 * 0x10000).chunk, GD_UNWIND_NO_TABLE);
  EXPECT_EQ(RangeOf(ranges, 600 * 0x10000).chunk, GD_UNWIND_OUTSIDE);
}

}  // namespace
}  // namespace gordian
