// SPDX-License-Identifier: Apache-2.0
// Brings the records of a window of time, from all CPUs, into order: by thread, then by time.
//
// First the blocks' records are merged by time, then counted and laid out by thread: both linear.
// Equal times: in order of CPUs, then of blocks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/timeline/column_memory.h"
#include "analyzer/timeline/thread_record.h"
#include "analyzer/timeline/tid_index.h"

namespace gordian {

// Records of one block that fall into the window.
struct RecordRun {
  std::span<const ThreadRecord> records;
  std::span<const int32_t> tids;
};

// The records of one thread in a window.
struct ThreadSlice {
  int32_t tid = 0;
  uint32_t first = 0;
  uint32_t count = 0;
};

struct Window {
  std::span<ThreadSegment> slots;  // each holds a ThreadRecord until its history is written
  std::vector<ThreadSlice> slices;
};

// Not thread-safe; keeps its memory from window to window. Aligned so that those of several workers
// share no cache line.
class alignas(128) WindowSorter {
 public:
  // `runs` in order of CPUs, then of blocks. The slots are made in `memory`.
  Window Sort(std::span<const RecordRun> runs, ColumnMemory& memory);

 private:
  struct Source {
    const ThreadRecord* next;
    const ThreadRecord* end;
    const int32_t* tid;
    uint32_t order;
  };
  void Merge(std::span<const RecordRun> runs, size_t total);
  void TakeWhile(Source& source, uint64_t before_ns, uint32_t order);

  std::vector<ThreadRecord> merged_;
  std::vector<uint32_t> thread_of_;  // number in tids_, for each of merged_
  size_t filled_ = 0;
  TidIndex tids_;
  std::vector<uint32_t> next_place_;
};

}  // namespace gordian
