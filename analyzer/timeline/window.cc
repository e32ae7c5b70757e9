// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/window.h"

#include <algorithm>
#include <limits>

namespace gordian {

// Takes from `source` the records before (before_ns, order) of the next source.
void WindowSorter::TakeWhile(Source& source, uint64_t before_ns, uint32_t order) {
  while (source.next != source.end &&
         (source.next->time_ns < before_ns ||
          (source.next->time_ns == before_ns && source.order < order))) {
    merged_[filled_] = *source.next++;
    thread_of_[filled_] = tids_.Intern(*source.tid++);
    ++filled_;
  }
}

// A heap of the sources by their next record. The least source gives all its records that come
// before the next least one's: records come in bursts, so this is seldom a single one.
void WindowSorter::Merge(std::span<const RecordRun> runs, size_t total) {
  merged_.resize(total);
  thread_of_.resize(total);
  filled_ = 0;
  std::vector<Source> heap;
  for (const RecordRun& run : runs) {
    if (run.records.empty()) continue;
    const ThreadRecord* first = run.records.data();
    heap.push_back(
        {first, first + run.records.size(), run.tids.data(), static_cast<uint32_t>(heap.size())});
  }
  const auto later = [](const Source& a, const Source& b) {
    return a.next->time_ns != b.next->time_ns ? a.next->time_ns > b.next->time_ns
                                              : a.order > b.order;
  };
  std::make_heap(heap.begin(), heap.end(), later);
  while (heap.size() > 1) {
    // The least is heap[0]; the next least is one of the two below it.
    const size_t second = heap.size() > 2 && later(heap[1], heap[2]) ? 2 : 1;
    TakeWhile(heap[0], heap[second].next->time_ns, heap[second].order);
    if (heap[0].next == heap[0].end) {
      heap[0] = heap.back();
      heap.pop_back();
    }
    // Sift the first down to its place.
    const Source moved = heap[0];
    size_t hole = 0;
    for (size_t child = 1; child < heap.size(); child = 2 * hole + 1) {
      if (child + 1 < heap.size() && later(heap[child], heap[child + 1])) ++child;
      if (!later(moved, heap[child])) break;
      heap[hole] = heap[child];
      hole = child;
    }
    heap[hole] = moved;
  }
  if (!heap.empty()) {
    TakeWhile(heap[0], std::numeric_limits<uint64_t>::max(), std::numeric_limits<uint32_t>::max());
  }
}

Window WindowSorter::Sort(std::span<const RecordRun> runs, ColumnMemory& memory) {
  size_t total = 0;
  for (const RecordRun& run : runs) total += run.records.size();
  tids_.Clear();
  Merge(runs, total);

  Window window;
  const size_t threads = tids_.tids().size();
  window.slices.resize(threads);
  for (const uint32_t thread : thread_of_) ++window.slices[thread].count;
  next_place_.resize(threads);
  uint32_t place = 0;
  for (size_t thread = 0; thread < threads; ++thread) {
    ThreadSlice& slice = window.slices[thread];
    slice.tid = tids_.tids()[thread];
    slice.first = next_place_[thread] = place;
    place += slice.count;
  }
  window.slots = memory.Make<ThreadSegment>(total);
  for (size_t i = 0; i < total; ++i) {
    window.slots[next_place_[thread_of_[i]]++] = SlotOf(merged_[i]);
  }
  return window;
}

}  // namespace gordian
