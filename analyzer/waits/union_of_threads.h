// SPDX-License-Identifier: Apache-2.0
// The segments of several threads as those of one.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analyzer/timeline/timeline.h"
#include "analyzer/waits/time_order.h"

namespace gordian {

class UnionOfThreads {
 public:
  // Before the first birth and after the last death it waits for `creator`.
  UnionOfThreads(uint64_t start_ns, EntityId creator) : start_ns_(start_ns), creator_(creator) {}

  void Add(SegmentCursor segments, uint64_t end_ns);

  // Linear but for the order of time.
  std::vector<ThreadSegment> Segments();

 private:
  // A thread goes from one segment to another; kinds kNone before its birth and after its death.
  struct Change {
    uint8_t from = 0;
    uint8_t to = 0;
    ThreadSegment before;  // the segment that ends: the thread that a wait was for
    ThreadSegment after;
  };
  void Close(uint64_t time_ns, const Change& change);
  uint8_t Kind() const;

  uint64_t start_ns_;
  EntityId creator_;
  std::vector<TimedIndex> order_;
  std::vector<Change> changes_;
  std::vector<ThreadSegment> united_;
  std::array<uint32_t, 6> threads_in_{};  // by kind
};

}  // namespace gordian
