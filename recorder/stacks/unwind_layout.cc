// SPDX-License-Identifier: Apache-2.0
#include "recorder/stacks/unwind_layout.h"

#include <algorithm>
#include <optional>

namespace gordian {
namespace {

// The difference between the address by which symbols count and the offset in the file: that of the
// segment of which most is mapped there (neighbours may share a page). Nothing if no segment is
// mapped.
std::optional<uint64_t> AddressLessOffset(const Mapping& mapping) {
  const uint64_t end = mapping.file_offset + (mapping.end - mapping.start);
  uint64_t most = 0;
  std::optional<uint64_t> difference;
  for (const ModuleSegment& segment : mapping.segments) {
    const uint64_t from = std::max(mapping.file_offset, segment.file_offset);
    const uint64_t to = std::min(end, segment.file_offset + segment.size_bytes);
    if (to <= from || to - from <= most) continue;
    most = to - from;
    difference = segment.address - segment.file_offset;  // wraps around where it is negative
  }
  return difference;
}

class RangeList {
 public:
  // Two places are kept for the addresses behind the last mapping and for the mappings left out.
  bool HasRoomFor(size_t count) const { return ranges_.size() + count + 2 <= GD_UNWIND_RANGES; }

  void Add(const gd_unwind_range& range) {
    const bool goes_on = !ranges_.empty() && range.chunk >= GD_UNWIND_NO_TABLE &&
                         ranges_.back().chunk == range.chunk;
    if (!goes_on) ranges_.push_back(range);
  }
  void AddWithout(uint64_t start, uint32_t why) { Add({.start = start, .chunk = why}); }

  std::vector<gd_unwind_range> Take() { return std::move(ranges_); }

 private:
  std::vector<gd_unwind_range> ranges_;
};

void AddMapping(const Mapping& mapping, const PlacedTable* table, RangeList& ranges) {
  const std::optional<uint64_t> difference = AddressLessOffset(mapping);
  if (table == nullptr || table->pieces.empty() || !difference) {
    ranges.AddWithout(mapping.start, GD_UNWIND_NO_TABLE);
    return;
  }
  const uint64_t bias = mapping.start - (mapping.file_offset + *difference) + table->base;
  const auto first_in = [&](const RowPiece& piece) { return bias + piece.first_address; };
  for (size_t i = 0; i < table->pieces.size(); ++i) {
    const RowPiece& piece = table->pieces[i];
    const bool last = i + 1 == table->pieces.size();
    if (!last && first_in(table->pieces[i + 1]) <= mapping.start) continue;
    if (i > 0 && first_in(piece) >= mapping.end) break;
    ranges.Add({.start = i == 0 ? mapping.start : std::max(mapping.start, first_in(piece)),
                .bias = bias,
                .chunk = piece.chunk,
                .first_row = static_cast<uint16_t>(piece.first_row),
                .rows = static_cast<uint16_t>(piece.rows % GD_UNWIND_CHUNK_ROWS)});
  }
}

}  // namespace

std::vector<RowPiece> ChunkSpace::Take(std::span<const UnwindRow> rows) {
  std::vector<RowPiece> pieces;
  if (uint64_t{chunks_} * GD_UNWIND_CHUNK_ROWS - used_rows_ < rows.size()) return pieces;
  while (!rows.empty()) {
    const auto first = static_cast<uint32_t>(used_rows_ % GD_UNWIND_CHUNK_ROWS);
    const auto count =
        static_cast<uint32_t>(std::min<size_t>(rows.size(), GD_UNWIND_CHUNK_ROWS - first));
    pieces.push_back({.first_address = rows.front().address,
                      .chunk = static_cast<uint32_t>(used_rows_ / GD_UNWIND_CHUNK_ROWS),
                      .first_row = first,
                      .rows = count});
    used_rows_ += count;
    rows = rows.subspan(count);
  }
  return pieces;
}

std::vector<gd_unwind_range> LayOutRanges(const ProcessMaps& maps, const TableOfMapping& table_of,
                                          uint64_t& left_out) {
  RangeList ranges;
  uint64_t covered_to = 0;
  for (const Mapping& mapping : maps.mappings) {
    const PlacedTable* table = table_of(mapping);
    if (!ranges.HasRoomFor(table == nullptr ? 2 : table->pieces.size() + 1)) {
      ++left_out;
      continue;
    }
    if (mapping.start > covered_to || covered_to == 0)
      ranges.AddWithout(covered_to, GD_UNWIND_OUTSIDE);
    AddMapping(mapping, table, ranges);
    covered_to = mapping.end;
  }
  ranges.AddWithout(covered_to, GD_UNWIND_OUTSIDE);
  return ranges.Take();
}

}  // namespace gordian
