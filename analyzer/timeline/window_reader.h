// SPDX-License-Identifier: Apache-2.0
// Reads the records of a few windows of time at once: blocks are decoded in parallel, then each
// window is sorted on a thread of its own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/timeline/block_source.h"
#include "analyzer/timeline/column_memory.h"
#include "analyzer/timeline/window.h"
#include "base/parallel.h"

namespace gordian {

// Small enough that a window's records stay in a core's cache while they are sorted, large enough
// that most threads have several in each.
inline constexpr size_t kEventsPerWindow = 1 << 17;

class WindowReader {
 public:
  // `blocks` lives as long as this.
  WindowReader(BlockSource& blocks, int threads)
      : blocks_(blocks), threads_(threads), sorters_(static_cast<size_t>(threads)) {}

  // How many windows are best read at once: workers rarely wait then.
  size_t windows_at_once() const { return 4 * sorters_.size(); }

  // The windows that end at `ends_ns`, in order; the first begins at `from_ns`, where those that
  // were read before ended. Their slots are made in `memory`. `damaged` and `decoded` are as in
  // BlockSource::DecodeUntil, `finished` as in DropUntil: blocks may go on behind these windows.
  template <typename Decoded, typename Finished>
  std::vector<Window> Read(uint64_t from_ns, std::span<const uint64_t> ends_ns,
                           ColumnMemory& memory, std::vector<BlockSource::Damage>& damaged,
                           Decoded decoded, Finished finished) {
    std::vector<Window> windows(ends_ns.size());
    blocks_.DecodeUntil(ends_ns.back(), damaged, decoded);
    ParallelFor(threads_, windows.size(), [&](size_t i, int worker) {
      windows[i] = sorters_[static_cast<size_t>(worker)].Sort(
          blocks_.RunsBetween(i == 0 ? from_ns : ends_ns[i - 1], ends_ns[i]), memory);
    });
    blocks_.DropUntil(ends_ns.back(), finished);
    return windows;
  }
  template <typename Decoded>
  std::vector<Window> Read(uint64_t from_ns, std::span<const uint64_t> ends_ns,
                           ColumnMemory& memory, std::vector<BlockSource::Damage>& damaged,
                           Decoded decoded) {
    return Read(from_ns, ends_ns, memory, damaged, decoded, [](const DecodedBlock&) {});
  }

 private:
  BlockSource& blocks_;
  const int threads_;
  std::vector<WindowSorter> sorters_;
};

}  // namespace gordian
