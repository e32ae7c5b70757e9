// SPDX-License-Identifier: Apache-2.0
// Where the pixels of tiles begin and end, and which of them are sums of windows. Inner to the
// library.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace gordian {

class TileColumns {
 public:
  // `windows_ns`: borders of windows, in order; may be empty. Times on the recording's clock.
  TileColumns(uint64_t from_ns, uint64_t to_ns, uint32_t pixels,
              std::span<const uint64_t> windows_ns);

  uint32_t count() const { return static_cast<uint32_t>(borders_.size()) - 1; }
  const std::vector<uint64_t>& borders() const { return borders_; }
  // The column that holds a time within the range.
  uint32_t ColumnOf(uint64_t time_ns) const;

  // Neighbouring columns of one kind. Of windows: those with numbers in [first_window, end_window).
  struct Run {
    uint32_t first = 0;
    uint32_t end = 0;
    bool from_windows = false;
    size_t first_window = 0;
    size_t end_window = 0;
  };
  const std::vector<Run>& runs() const { return runs_; }

  // Calls use(column, from_ns, to_ns) for the parts of [from_ns, to_ns) in each column.
  template <typename Use>
  void Spread(uint64_t from_ns, uint64_t to_ns, Use use) const {
    from_ns = from_ns < borders_.front() ? borders_.front() : from_ns;
    to_ns = to_ns > borders_.back() ? borders_.back() : to_ns;
    if (from_ns >= to_ns) return;
    for (uint32_t column = ColumnOf(from_ns); from_ns < to_ns; ++column) {
      const uint64_t end_ns = to_ns < borders_[column + 1] ? to_ns : borders_[column + 1];
      if (from_ns < end_ns) use(column, from_ns, end_ns);
      from_ns = from_ns < end_ns ? end_ns : from_ns;
    }
  }

 private:
  std::vector<uint64_t> borders_;
  std::vector<Run> runs_;
};

}  // namespace gordian
