// SPDX-License-Identifier: Apache-2.0
// As RowGroups, of more rows than plain memory should hold.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/model/row_groups.h"
#include "analyzer/timeline/column.h"

namespace gordian {

template <typename Row>
struct ColumnGroups {
  ColumnGroups() = default;
  explicit ColumnGroups(const ColumnMemory& memory) : rows(memory) {}
  // Rows that lie elsewhere, and stay there as long as this.
  static ColumnGroups Over(const RowGroupsView<Row>& kept) {
    ColumnGroups over;
    over.rows = Column<Row>::Over(kept.rows);
    over.ends.assign(kept.ends.begin(), kept.ends.end());
    return over;
  }
  void Add(std::span<const Row> group) {
    rows.Append(group);
    ends.push_back(rows.size());
  }
  RowGroupsView<Row> view() const { return {rows, ends}; }

  Column<Row> rows;
  std::vector<uint64_t> ends;
};

}  // namespace gordian
