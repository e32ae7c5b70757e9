// SPDX-License-Identifier: Apache-2.0
// One thread's times by pixel. Inner to the library.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "views/tile_columns.h"
#include "views/tiles.h"

namespace gordian {

class ThreadTiles {
 public:
  ThreadTiles(const TileSource& source, const TileColumns& columns,
              const std::function<bool()>& stop_asked)
      : source_(source), columns_(columns), stop_asked_(stop_asked) {}

  // Adds the thread to the cells of a row. False if it was asked to stop.
  bool Add(EntityId thread, std::span<TileCell> cells);
  uint64_t segments_read() const { return segments_read_; }

 private:
  // Waits of the thread in a column.
  struct WaitSum {
    uint32_t column = 0;
    WaitCause cause = WaitCause::kUnknown;
    EntityId waker = kNobody;
    uint64_t ns = 0;
  };

  bool AddSegments(EntityId thread, const TileColumns::Run& run, std::span<TileCell> cells);
  void AddWindows(EntityId thread, const TileColumns::Run& run, std::span<TileCell> cells);
  void AddState(EntityId thread, SegmentKind state, size_t first_window, size_t end_window,
                std::span<TileCell> cells) const;
  void AddWaitsOfWindows(EntityId thread, const TileColumns::Run& run);
  void TakeLongest(std::span<TileCell> cells);

  const TileSource& source_;
  const TileColumns& columns_;
  const std::function<bool()>& stop_asked_;
  absl::flat_hash_map<uint64_t, uint64_t> of_column_;  // ns by waker and cause
  std::vector<WaitSum> waits_;
  uint64_t segments_read_ = 0;
};

}  // namespace gordian
