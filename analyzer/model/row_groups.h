// SPDX-License-Identifier: Apache-2.0
// Rows of many groups (windows, disks), one group after the other in one column: a column can be
// written to a file and mapped from it as it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace gordian {

template <typename Row>
struct RowGroupsView {
  std::span<const Row> rows;
  std::span<const uint64_t> ends;  // of each group: how many rows there are up to its end

  size_t groups() const { return ends.size(); }
  std::span<const Row> Of(size_t group) const {
    const uint64_t begin = group > 0 ? ends[group - 1] : 0;
    return rows.subspan(begin, ends[group] - begin);
  }
};

template <typename Row>
struct RowGroups {
  static_assert(std::is_trivially_copyable_v<Row>);

  void Add(std::span<const Row> group) {
    rows.insert(rows.end(), group.begin(), group.end());
    ends.push_back(rows.size());
  }
  RowGroupsView<Row> view() const { return {rows, ends}; }

  std::vector<Row> rows;
  std::vector<uint64_t> ends;
};

}  // namespace gordian
