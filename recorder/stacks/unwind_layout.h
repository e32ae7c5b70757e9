// SPDX-License-Identifier: Apache-2.0
// Where rows of unwind tables are put, and how a process's mappings lead to them: the contents of
// the kernel side's maps (bpf/unwind_tables.h), worked out without a kernel.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "bpf/unwind_tables.h"
#include "symbols/symbols.h"
#include "symbols/unwind_table.h"

namespace gordian {

// Rows of one table that lie in one chunk.
struct RowPiece {
  uint32_t first_address = 0;  // of its first row
  uint32_t chunk = 0;
  uint32_t first_row = 0;  // in the chunk
  uint32_t rows = 0;

  bool operator==(const RowPiece&) const = default;
};

struct PlacedTable {
  uint64_t base = 0;
  std::vector<RowPiece> pieces;  // by address; empty: this file's frames are unknown
};

// Hands out the chunks from the first to the last; nothing is ever given back.
class ChunkSpace {
 public:
  explicit ChunkSpace(uint32_t chunks = GD_UNWIND_CHUNKS) : chunks_(chunks) {}

  // Places for all the rows, or no places if there is too little room.
  std::vector<RowPiece> Take(std::span<const UnwindRow> rows);

 private:
  const uint32_t chunks_;
  uint64_t used_rows_ = 0;
};

// The table of a mapping's file, or null.
using TableOfMapping = std::function<const PlacedTable*(const Mapping&)>;

// Sorted ranges that cover all addresses. `left_out` counts mappings for which there was no room.
std::vector<gd_unwind_range> LayOutRanges(const ProcessMaps& maps, const TableOfMapping& table_of,
                                          uint64_t& left_out);

}  // namespace gordian
