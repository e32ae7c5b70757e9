// SPDX-License-Identifier: Apache-2.0
// Brings the records of a window of time, from all CPUs, into order: by thread, then by time.
//
// First each thread's records are counted; then the blocks' records are merged by time, and each
// goes to its thread's next place. Equal times: in order of CPUs, then of blocks.
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
  // Runs that follow each other, from the next record on.
  struct Source {
    const ThreadRecord* next;
    const ThreadRecord* end;  // of its run
    const uint32_t* thread;   // of the next record
    const RecordRun* run;
    const RecordRun* last_run;
  };
  using Key = unsigned __int128;
  static constexpr Key kNoKey = ~Key{0};

  void CountThreads(std::span<const RecordRun> runs, Window& window);
  void FindSources(std::span<const RecordRun> runs);
  Key KeyOf(uint32_t source);
  Key BuildTree();
  void Merge(std::span<ThreadSegment> slots);

  std::vector<uint32_t> thread_of_;  // number in tids_, by record, in order of runs
  TidIndex tids_;
  std::vector<uint32_t> next_place_;  // by thread
  std::vector<Source> sources_;
  std::vector<Key> losers_;
};

}  // namespace gordian
