// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/window.h"

#include <algorithm>

namespace gordian {

// Where each thread's records will lie. Also notes the thread of each record.
void WindowSorter::CountThreads(std::span<const RecordRun> runs, Window& window) {
  tids_.Clear();
  thread_of_.clear();
  for (const RecordRun& run : runs) {
    for (const int32_t tid : run.tids) {
      const uint32_t thread = tids_.Intern(tid);
      if (thread == window.slices.size()) window.slices.push_back({.tid = tid});
      ++window.slices[thread].count;
      thread_of_.push_back(thread);
    }
  }
  next_place_.clear();
  uint32_t place = 0;
  for (ThreadSlice& slice : window.slices) {
    slice.first = place;
    next_place_.push_back(place);
    place += slice.count;
  }
}

// A run that begins when the one before it has ended is merged with it already: mostly those are
// the blocks of one CPU.
void WindowSorter::FindSources(std::span<const RecordRun> runs) {
  sources_.clear();
  const uint32_t* threads = thread_of_.data();
  const RecordRun* before = nullptr;
  for (const RecordRun& run : runs) {
    if (run.records.empty()) continue;
    const bool follows =
        before != nullptr && before->records.back().time_ns <= run.records.front().time_ns;
    if (!follows) {
      const ThreadRecord* first = run.records.data();
      sources_.push_back({first, first + run.records.size(), threads, &run, &run});
    }
    sources_.back().last_run = &run;
    threads += run.records.size();
    before = &run;
  }
}

// That of the source's next record: by time, then in order of sources.
WindowSorter::Key WindowSorter::KeyOf(uint32_t source) {
  Source& from = sources_[source];
  while (from.next == from.end) {
    if (from.run == from.last_run) return kNoKey;
    ++from.run;
    from.next = from.run->records.data();
    from.end = from.next + from.run->records.size();
  }
  return Key{from.next->time_ns} << 32 | source;
}

// Leaf i of the tree is node n + i, and the nodes above are halves of that number. A node keeps the
// key that lost there.
WindowSorter::Key WindowSorter::BuildTree() {
  const size_t count = sources_.size();
  losers_.assign(count, kNoKey);
  std::vector<Key> winners(2 * count);
  for (uint32_t source = 0; source < count; ++source) winners[count + source] = KeyOf(source);
  for (size_t node = count - 1; node > 0; --node) {
    const Key left = winners[2 * node];
    const Key right = winners[2 * node + 1];
    winners[node] = std::min(left, right);
    losers_[node] = std::max(left, right);
  }
  return winners[1];
}

// The least key wins. Its source's next one plays against those that lost on its way up. No branch
// depends on who wins, as nothing could foresee it.
void WindowSorter::Merge(std::span<ThreadSegment> slots) {
  if (sources_.empty()) return;
  const size_t count = sources_.size();
  for (Key winner = BuildTree(); winner != kNoKey;) {
    const auto source = static_cast<uint32_t>(winner);
    Source& from = sources_[source];
    const uint64_t time_ns = from.next->time_ns;
    // A switch is two records of one time: nothing can come between them.
    do {
      slots[next_place_[*from.thread++]++] = SlotOf(*from.next++);
    } while (from.next != from.end && from.next->time_ns == time_ns);
    Key key = KeyOf(source);
    for (size_t node = (count + source) / 2; node > 0; node /= 2) {
      const Key other = losers_[node];
      losers_[node] = std::max(other, key);
      key = std::min(other, key);
    }
    winner = key;
  }
}

Window WindowSorter::Sort(std::span<const RecordRun> runs, ColumnMemory& memory) {
  Window window;
  CountThreads(runs, window);
  window.slots = memory.Make<ThreadSegment>(thread_of_.size());
  FindSources(runs);
  Merge(window.slots);
  return window;
}

}  // namespace gordian
