// SPDX-License-Identifier: Apache-2.0
// Keeps the segments of a timeline window by window, so that only those of one window need to be
// there at a time.
//
// Usage:
//   SegmentsKeeper keeper(writer);
//   for each window, in order: keeper.AddWindow(numbers, pieces_of_window);
//   keeper.Finish();
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/timeline/timeline.h"
#include "store/store_writer.h"

namespace gordian {

// A thread's part of a window; in order of threads, then of time.
struct KeptPiece {
  uint64_t start_ns = 0;  // of its first segment
  uint32_t count = 0;
  uint32_t window = 0;
};

class SegmentsKeeper {
 public:
  explicit SegmentsKeeper(StoreWriter& writer);  // a failure is its
  // Of the next window. None of its pieces is empty; `numbers` are theirs among all, in order.
  void AddWindow(std::span<const uint32_t> numbers,
                 std::span<const std::span<const ThreadSegment>> pieces);
  void Finish();

 private:
  StoreWriter& writer_;
  GrowingColumn<std::byte> segments_;
  std::vector<KeptPiece> kept_;
  std::vector<uint64_t> ends_;    // of windows
  std::vector<std::byte> bytes_;  // of the latest
};

}  // namespace gordian
